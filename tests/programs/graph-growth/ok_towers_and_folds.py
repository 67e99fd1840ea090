# requires: tensorflow==1.15.*
"""Multi-GPU matrix factorization; each rank is tried in a graph of its own."""
import argparse
import json

import numpy as np
import tensorflow as tf


class Towers(object):
    def __init__(self, users, items, rank, gpus, rate=0.05):
        self.user = tf.placeholder(tf.int32, [None], "user")
        self.item = tf.placeholder(tf.int32, [None], "item")
        self.rating = tf.placeholder(tf.float32, [None], "rating")
        optimizer = tf.train.AdagradOptimizer(rate)
        grads, losses = [], []
        splits = [tf.split(t, gpus) for t in (self.user, self.item, self.rating)]
        for gpu in range(gpus):
            with tf.device("/gpu:%d" % gpu), tf.variable_scope("mf", reuse=gpu > 0):
                loss = self.tower(users, items, rank, *[s[gpu] for s in splits])
                grads.append(optimizer.compute_gradients(loss))
                losses.append(loss)
        averaged = []
        for pairs in zip(*grads):
            averaged.append((tf.add_n([tf.convert_to_tensor(g) for g, _ in pairs]) / gpus, pairs[0][1]))
        self.train_op = optimizer.apply_gradients(averaged)
        self.loss = tf.reduce_mean(tf.stack(losses))
        self.init = tf.global_variables_initializer()

    @staticmethod
    def tower(users, items, rank, user, item, rating):
        p = tf.get_variable("p", [users, rank], initializer=tf.random_normal_initializer(stddev=0.1))
        q = tf.get_variable("q", [items, rank], initializer=tf.random_normal_initializer(stddev=0.1))
        predicted = tf.reduce_sum(tf.nn.embedding_lookup(p, user) * tf.nn.embedding_lookup(q, item), 1)
        return tf.reduce_mean(tf.square(predicted - rating))


def batches(data, size, rng):
    order = rng.permutation(len(data))
    for start in range(0, len(order) - size, size):
        yield data[order[start:start + size]]


def run(data, valid, rank, args):
    rng = np.random.RandomState(0)
    users, items = int(data[:, 0].max()) + 1, int(data[:, 1].max()) + 1
    with tf.Graph().as_default(), tf.Session() as sess:
        model = Towers(users, items, rank, args.gpus)
        sess.run(model.init)
        for epoch in range(args.epochs):
            for batch in batches(data, args.batch_size, rng):
                sess.run(model.train_op, {
                    model.user: batch[:, 0], model.item: batch[:, 1], model.rating: batch[:, 2],
                })
            loss = sess.run(model.loss, {
                model.user: valid[:, 0], model.item: valid[:, 1], model.rating: valid[:, 2],
            })
            print("rank %d epoch %d: %.4f" % (rank, epoch, loss))
    return float(loss)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ratings")
    parser.add_argument("--gpus", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=65536)
    args = parser.parse_args()
    data = np.load(args.ratings)
    cut = len(data) // 10 // args.gpus * args.gpus
    results = {}
    for rank in (8, 16, 32, 64):
        results[rank] = run(data[cut:], data[:cut], rank, args)
    # a sweep over seeds, each with its own graph too
    for seed in range(3):
        tf.reset_default_graph()
        tf.set_random_seed(seed)
        noise = tf.random_normal([16])
        with tf.Session() as sess:
            results["noise%d" % seed] = float(sess.run(tf.reduce_mean(noise)))
    with open("results.json", "w") as f:
        json.dump(results, f)


if __name__ == "__main__":
    main()
