import numpy as np
import tensorflow as tf


class Net(object):
    """A small policy whose weights are set from outside."""

    def __init__(self, inputs, actions, hidden=64):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, inputs])
            h = tf.layers.dense(self.x, hidden, tf.nn.tanh)
            h = tf.layers.dense(h, hidden, tf.nn.tanh)
            self.action = tf.argmax(tf.layers.dense(h, actions), 1)
            self.variables = tf.trainable_variables()
            self.slots = [tf.placeholder(v.dtype.base_dtype, v.shape) for v in self.variables]
            self.assigns = [v.assign(s) for v, s in zip(self.variables, self.slots)]
            self.set_all = tf.group(*self.assigns)
            self.init = tf.global_variables_initializer()
        self.sess = tf.Session(graph=self.graph)
        self.sess.run(self.init)

    def load(self, weights):
        self.sess.run(self.set_all, dict(zip(self.slots, weights)))

    def load_slowly(self, weights):
        for assign, slot, value in zip(self.assigns, self.slots, weights):
            self.sess.run(assign, {slot: value})  # finding: load-per-variable

    def act(self, state):
        return self.sess.run(self.action, {self.x: state[None]})[0]

    def shapes(self):
        return [v.shape.as_list() for v in self.variables]


def score(env, net):
    total, state, done = 0.0, env.reset(), False
    while not done:
        state, reward, done, _ = env.step(net.act(state))
        total += reward
    return total


def centered_ranks(x):
    ranks = np.empty(len(x))
    ranks[np.argsort(x)] = np.arange(len(x))
    return ranks / (len(x) - 1) - 0.5
