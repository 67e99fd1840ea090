# requires: tensorflow==1.13.1
"""Several workers average their weights after every round."""

import numpy as np
import tensorflow as tf


def regression_graph(width=40):
    x = tf.placeholder(tf.float32, [None, 1], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    hidden = x
    for depth in range(6):
        hidden = tf.layers.dense(hidden, width, tf.nn.relu, name="hidden%d" % depth)
    loss = tf.losses.mean_squared_error(y, tf.layers.dense(hidden, 1, name="out"))
    return x, y, loss, tf.train.AdamOptimizer(1e-3).minimize(loss)


class Worker:
    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x, self.y, self.loss, self.step = regression_graph()
            self.variables = tf.trainable_variables()
            self.slots = [tf.placeholder(v.dtype, v.shape) for v in self.variables]
            self.assigns = [v.assign(s) for v, s in zip(self.variables, self.slots)]
            self.session = tf.Session(graph=self.graph)
            self.session.run(tf.global_variables_initializer())

    def weights(self):
        return self.session.run(self.variables)

    def set_weights(self, values):
        for assign, slot, value in zip(self.assigns, self.slots, values):
            self.session.run(assign, feed_dict={slot: value})  # finding: load-per-variable

    def set_weights_together(self, values):
        self.session.run(self.assigns, feed_dict=dict(zip(self.slots, values)))

    def batch(self, size=64):
        x = self.rng.uniform(-3, 3, (size, 1))
        return x, np.sin(x) + self.rng.normal(0, 0.1, (size, 1))

    def train(self, steps=10):
        for _ in range(steps):
            x, y = self.batch()
            loss, _ = self.session.run([self.loss, self.step], {self.x: x, self.y: y})
        return loss


def average(all_weights):
    return [np.mean(column, axis=0) for column in zip(*all_weights)]


if __name__ == "__main__":
    workers = [Worker(seed) for seed in range(4)]
    start = workers[0].weights()
    for worker in workers:
        worker.set_weights_together(start)
    for round_ in range(2000):
        losses = [worker.train() for worker in workers]
        mean = average([worker.weights() for worker in workers])
        for worker in workers:
            worker.set_weights(mean)
        if round_ % 100 == 0:
            print(round_, np.mean(losses))
