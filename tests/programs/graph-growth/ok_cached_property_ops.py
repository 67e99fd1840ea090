# requires: tensorflow==1.12.*
"""A neural process whose ops are made once, lazily, whoever asks for them first."""
import functools

import numpy as np
import tensorflow as tf


def lazy(function):
    name = "_lazy_" + function.__name__

    @property
    @functools.wraps(function)
    def wrapper(self):
        if not hasattr(self, name):
            with tf.variable_scope(function.__name__):
                setattr(self, name, function(self))
        return getattr(self, name)

    return wrapper


class Process:
    def __init__(self, width=128):
        self.width = width
        self.context_x = tf.placeholder(tf.float32, [None, None, 1])
        self.context_y = tf.placeholder(tf.float32, [None, None, 1])
        self.x = tf.placeholder(tf.float32, [None, None, 1])
        self.y = tf.placeholder(tf.float32, [None, None, 1])
        self.prediction
        self.train_op

    @lazy
    def representation(self):
        h = tf.concat([self.context_x, self.context_y], -1)
        for _ in range(3):
            h = tf.layers.dense(h, self.width, tf.nn.relu)
        return tf.reduce_mean(h, 1, keepdims=True)

    @lazy
    def prediction(self):
        r = tf.tile(self.representation, [1, tf.shape(self.x)[1], 1])
        h = tf.layers.dense(tf.concat([r, self.x], -1), self.width, tf.nn.relu)
        mean, spread = tf.split(tf.layers.dense(h, 2), 2, -1)
        return tf.distributions.Normal(mean, 0.1 + 0.9 * tf.nn.softplus(spread))

    @lazy
    def loss(self):
        return -tf.reduce_mean(self.prediction.log_prob(self.y))

    @lazy
    def train_op(self):
        return tf.train.AdamOptimizer(1e-4).minimize(self.loss)


def curves(count, points):
    x = np.random.uniform(-2, 2, [count, points, 1])
    scale, shift = np.random.uniform(0.5, 3, [2, count, 1, 1])
    return x, np.sin(scale * x + shift)


def main():
    model = Process()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(100000):
            x, y = curves(16, 40)
            known = np.random.randint(3, 20)
            feed = {model.context_x: x[:, :known], model.context_y: y[:, :known], model.x: x, model.y: y}
            _, loss = sess.run([model.train_op, model.loss], feed)
            if step % 1000 == 0:
                print(step, loss)


if __name__ == "__main__":
    main()
