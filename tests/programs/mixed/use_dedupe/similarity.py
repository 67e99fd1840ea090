# requires: tensorflow==1.15
import numpy as np
import tensorflow as tf


class BlockScorer(object):
    """Scores a block of vectors against the whole index on the GPU."""

    def __init__(self, dim=512, top=10):
        self.query = tf.placeholder(tf.float32, [None, dim])
        self.index = tf.placeholder(tf.float32, [None, dim])
        self.top = tf.nn.top_k(tf.matmul(self.query, self.index, transpose_b=True), top)

    def score(self, sess, q, index):
        return sess.run(self.top, {self.query: q, self.index: index})


def centre(sess, vectors):
    return sess.run(tf.nn.l2_normalize(vectors - vectors.mean(0), axis=1))


def blocks(n, size):
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def as_pairs(rows, ids, scores, threshold):
    keep = scores > threshold
    for r, cols, s in zip(rows, ids, keep):
        for c, ok in zip(cols, s):
            if ok and r < c:
                yield int(r), int(c)


def union(n, pairs):
    parent = np.arange(n)

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b in pairs:
        parent[find(a)] = find(b)
    return np.array([find(i) for i in range(n)])
