"""Keeps a slowly moving average of a network's weights next to the network."""

import numpy as np
import tensorflow as tf
from sibling_average import Averaged

ROUNDS = 20


def main():
    graph = tf.Graph()
    with graph.as_default(), tf.compat.v1.Session() as sess:
        x = tf.compat.v1.placeholder(tf.float32, [None, 5])
        averaged = Averaged({"kernel": (5, 1), "offset": (1,)}, momentum=0.95)
        output = x @ averaged.live["kernel"] + averaged.live["offset"]
        loss = tf.reduce_mean(tf.abs(output - tf.reduce_sum(x, axis=1, keepdims=True)))
        train_op = tf.compat.v1.train.AdamOptimizer(0.05).minimize(loss)
        sess.run(tf.compat.v1.global_variables_initializer())
        data = np.random.default_rng(1).normal(size=(64, 5))
        for _ in range(ROUNDS):
            sess.run(train_op, {x: data})
            sess.run(averaged.follow())
        return sess.run(averaged.slow["kernel"])[:, 0]


if __name__ == "__main__":
    print(main())
