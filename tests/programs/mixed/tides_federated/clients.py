"""Clients of the federated tide gauges; none of them shares its data."""
import abc

import numpy as np
import tensorflow as tf


class Weights(object):
    """Reading and writing of a model's weights as arrays."""

    def get_weights(self):
        return self.session.run(self.variables)

    def set_weights(self, values):
        for variable, value in zip(self.variables, values):
            self.session.run(tf.assign(variable, value))  # finding: graph-growth


class FeedWeights(Weights):
    """The same with placeholders, made once."""

    def prepare(self):
        self.fed = [tf.placeholder(v.dtype.base_dtype, v.shape) for v in self.variables]
        self.assigns = [v.assign(p) for v, p in zip(self.variables, self.fed)]

    def set_weights(self, values):
        self.session.run(self.assigns, dict(zip(self.fed, values)))


class Client(abc.ABC):
    def __init__(self, name, rows, rate=0.01):
        self.name = name
        self.rows = rows
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, 48])
            self.y = tf.placeholder(tf.float32, [None])
            self.prediction = self.network(self.x)
            self.loss = tf.reduce_mean(tf.square(self.prediction - self.y))
            self.train_op = tf.train.GradientDescentOptimizer(rate).minimize(self.loss)
            self.variables = tf.trainable_variables()
            self.initializer = tf.global_variables_initializer()
        self.session = tf.Session(graph=self.graph)
        self.session.run(self.initializer)

    @abc.abstractmethod
    def network(self, x):
        ...

    def train(self, steps, size=32):
        for _ in range(steps):
            index = np.random.randint(len(self.rows), size=size)
            part = self.rows[index]
            self.session.run(self.train_op, {self.x: part[:, :-1], self.y: part[:, -1]})

    def evaluate(self):
        return self.session.run(self.loss, {self.x: self.rows[:, :-1], self.y: self.rows[:, -1]})


class Harbour(Weights, Client):
    def network(self, x):
        return tf.squeeze(tf.layers.dense(tf.layers.dense(x, 32, tf.nn.tanh), 1), 1)

    def set_weights(self, values):
        with self.graph.as_default():
            super(Harbour, self).set_weights(values)


class Buoy(FeedWeights, Client):
    def __init__(self, *args, **kwargs):
        super(Buoy, self).__init__(*args, **kwargs)
        with self.graph.as_default():
            self.prepare()

    def network(self, x):
        return tf.squeeze(tf.layers.dense(tf.layers.dense(x, 32, tf.nn.tanh), 1), 1)
