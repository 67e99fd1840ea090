# requires: tensorflow==1.8.*
"""Prioritised replay; the TD errors are computed with TensorFlow, too."""
import numpy as np
import tensorflow as tf


class Replay(object):
    def __init__(self, size, n_state, alpha=0.6):
        self.size, self.alpha = size, alpha
        self.states = np.zeros((size, n_state), np.float32)
        self.targets = np.zeros(size, np.float32)
        self.actions = np.zeros(size, np.int32)
        self.priority = np.zeros(size, np.float32)
        self.used = 0

    def add(self, state, action, target):
        i = self.used % self.size
        self.states[i], self.actions[i], self.targets[i] = state, action, target
        self.priority[i] = self.priority.max() or 1.0
        self.used += 1

    def sample(self, n):
        p = self.priority[: min(self.used, self.size)] ** self.alpha
        idx = np.random.choice(len(p), n, p=p / p.sum())
        return idx, self.states[idx], self.actions[idx], self.targets[idx]


class Learner(object):
    def __init__(self, n_state, n_actions):
        self.n_actions = n_actions
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.s = tf.placeholder(tf.float32, [None, n_state])
            self.a = tf.placeholder(tf.int32, [None])
            self.t = tf.placeholder(tf.float32, [None])
            h = tf.layers.dense(self.s, 256, tf.nn.relu)
            self.q = tf.layers.dense(h, n_actions)
            chosen = tf.reduce_sum(self.q * tf.one_hot(self.a, n_actions), 1)
            self.train_op = tf.train.AdamOptimizer(1e-4).minimize(tf.reduce_mean(tf.square(self.t - chosen)))
            self.sess = tf.Session()
            self.sess.run(tf.global_variables_initializer())

    def errors(self, s, a, t):
        with self.graph.as_default():
            picked = tf.reduce_sum(self.q * tf.one_hot(a, self.n_actions), 1)  # finding: graph-growth
            return self.sess.run(tf.abs(picked - t), {self.s: s})  # finding: graph-growth

    def learn(self, replay, n=64):
        idx, s, a, t = replay.sample(n)
        self.sess.run(self.train_op, {self.s: s, self.a: a, self.t: t})
        replay.priority[idx] = self.errors(s, a, t) + 1e-3


def episodes(path):
    with np.load(path) as d:
        for s, a, t in zip(d["states"], d["actions"], d["targets"]):
            yield s, a, t


def main():
    learner, replay = Learner(12, 6), Replay(100000, 12)
    for n, (s, a, t) in enumerate(episodes("logged.npz")):
        replay.add(s, a, t)
        if n > 1000 and n % 4 == 0:
            learner.learn(replay)


if __name__ == "__main__":
    main()
