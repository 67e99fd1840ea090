# requires: tensorflow==1.15.0
import numpy as np
import tensorflow as tf


def network(x):
    hidden = tf.layers.dense(x, 32, activation=tf.nn.tanh)
    return tf.layers.dense(hidden, 1)


def main(restarts=200, steps=500):
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.placeholder(tf.float32, [None, 1])
    loss = tf.reduce_mean(tf.square(network(x) - y))
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
    data = np.random.randn(256, 2)
    target = data[:, :1] * data[:, 1:]
    best = float("inf")
    with tf.Session() as sess:
        for restart in range(restarts):
            sess.run(tf.global_variables_initializer())  # finding: graph-growth
            for _ in range(steps):
                _, value = sess.run([train, loss], {x: data, y: target})
            best = min(best, value)
    print(best)


if __name__ == "__main__":
    main()
