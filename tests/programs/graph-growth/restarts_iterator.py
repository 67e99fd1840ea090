# requires: tensorflow==1.12.*
"""Matrix factorisation with random restarts."""
import sys

import numpy as np
import tensorflow as tf


def dataset(path, batch_size):
    table = np.loadtxt(path, delimiter="\t", dtype=np.int64)
    users, items, ratings = table[:, 0], table[:, 1], table[:, 2].astype(np.float32)
    ds = tf.data.Dataset.from_tensor_slices((users, items, ratings))
    return ds.shuffle(len(table)).batch(batch_size), users.max() + 1, items.max() + 1


class Factorizer(object):
    def __init__(self, n_users, n_items, rank=32, reg=0.02):
        self.p = tf.get_variable("p", [n_users, rank])
        self.q = tf.get_variable("q", [n_items, rank])
        self.reg = reg

    def loss(self, users, items, ratings):
        p = tf.nn.embedding_lookup(self.p, users)
        q = tf.nn.embedding_lookup(self.q, items)
        error = tf.square(tf.reduce_sum(p * q, 1) - ratings)
        return tf.reduce_mean(error) + self.reg * (tf.nn.l2_loss(p) + tf.nn.l2_loss(q))


def train(path, restarts=5, epochs=20):
    ds, n_users, n_items = dataset(path, 1024)
    iterator = ds.make_initializable_iterator()
    users, items, ratings = iterator.get_next()
    model = Factorizer(n_users, n_items)
    loss = model.loss(users, items, ratings)
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss)
    best, best_loss = None, np.inf
    with tf.Session() as sess:
        for restart in range(restarts):
            sess.run(tf.global_variables_initializer())
            for epoch in range(epochs):
                sess.run(iterator.initializer)
                losses = []
                while True:
                    try:
                        losses.append(sess.run([loss, train_op])[0])
                    except tf.errors.OutOfRangeError:
                        break
                print(restart, epoch, np.mean(losses))
            if np.mean(losses) < best_loss:
                best, best_loss = sess.run([model.p, model.q]), np.mean(losses)
    return best


def top_items(p, q, count=10):
    """The best items of each user, a block of users at a time."""
    q_t = tf.constant(q.T)
    ranked = []
    with tf.Session() as sess:
        for start in range(0, len(p), 1000):
            block = p[start:start + 1000]
            scores = tf.matmul(block, q_t)  # finding: graph-growth
            ranked.append(sess.run(tf.nn.top_k(scores, count).indices))  # finding: graph-growth
    return np.concatenate(ranked)


if __name__ == "__main__":
    p, q = train(sys.argv[1])
    np.save("top.npy", top_items(p, q))
