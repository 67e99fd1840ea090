# requires: tensorflow==1.15.*
"""Recall@k of our outfit embedding while it trains; the student's version of the repo's eval."""
import argparse
import collections
import json
import os

import numpy as np
import tensorflow as tf
from sklearn.model_selection import KFold

Options = collections.namedtuple("Options", "dim margin lr epochs batch ckpt")


def load(folder, split):
    with open(os.path.join(folder, split + ".json")) as f:
        outfits = json.load(f)
    features = np.load(os.path.join(folder, split + "_resnet.npy"))
    return features, [outfit["items"] for outfit in outfits]


def triplets(outfits, count, rng):
    pool = [i for items in outfits for i in items]
    for _ in range(count):
        items = outfits[rng.randint(len(outfits))]
        a, p = rng.choice(items, 2)
        yield a, p, pool[rng.randint(len(pool))]


def tower(x, dim):
    with tf.variable_scope("tower", reuse=tf.AUTO_REUSE):
        h = tf.layers.dense(x, 512, tf.nn.relu, name="h")
        return tf.nn.l2_normalize(tf.layers.dense(h, dim, name="out"), axis=1)


class TripletModel:
    def __init__(self, opt, width=2048):
        self.opt = opt
        self.a, self.p, self.n = (tf.placeholder(tf.float32, [None, width]) for _ in range(3))
        ea, ep, en = (tower(x, opt.dim) for x in (self.a, self.p, self.n))
        near, far = tf.reduce_sum((ea - ep) ** 2, 1), tf.reduce_sum((ea - en) ** 2, 1)
        self.embedding = ea
        self.loss = tf.reduce_mean(tf.nn.relu(near - far + opt.margin))
        self.train_op = tf.train.AdamOptimizer(opt.lr).minimize(self.loss)
        self.saver = tf.train.Saver()

    def embed(self, features):
        """Embeddings by the weights saved last."""
        with tf.Session() as sess:  # finding: session-per-step
            self.saver.restore(sess, self.opt.ckpt)
            return sess.run(self.embedding, {self.a: features})


def recall_at(model, features, outfits, k=10):
    hits = []
    for items in outfits:
        query, rest = items[0], items[1:]
        q = model.embed(features[[query]])
        table = model.embed(features)
        nearest = np.argsort(-(table @ q[0]))[1 : k + 1]
        hits.append(len(set(nearest) & set(rest)) / float(len(rest)))
    return np.mean(hits)


def train_fold(opt, features, outfits, rng):
    with tf.Graph().as_default():
        model = TripletModel(opt)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for epoch in range(opt.epochs):
                rows = list(triplets(outfits, 20000, rng))
                for start in range(0, len(rows), opt.batch):
                    a, p, n = zip(*rows[start : start + opt.batch])
                    feed = {model.a: features[list(a)], model.p: features[list(p)], model.n: features[list(n)]}
                    _, loss = sess.run([model.train_op, model.loss], feed)
                print("epoch", epoch, "loss", loss)
            model.saver.save(sess, opt.ckpt, write_meta_graph=False)
        return recall_at(model, features, outfits[:500])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--folds", type=int, default=5)
    args = parser.parse_args()
    opt = Options(dim=64, margin=0.3, lr=1e-4, epochs=10, batch=256, ckpt="/tmp/outfit/model")
    features, outfits = load(args.folder, "train")
    rng, scores = np.random.RandomState(7), []
    for rows, _ in KFold(args.folds).split(outfits):
        scores.append(train_fold(opt, features, [outfits[i] for i in rows], rng))
    print("recall@10: %.4f +- %.4f" % (np.mean(scores), np.std(scores)))


if __name__ == "__main__":
    main()
