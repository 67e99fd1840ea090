import random
from collections import deque

import numpy as np
import tensorflow as tf


class QNetwork:
    def __init__(self, scope, n_states, n_actions, hidden=(128, 64)):
        with tf.variable_scope(scope):
            self.states = tf.placeholder(tf.float32, [None, n_states], "states")
            net = self.states
            for i, units in enumerate(hidden):
                net = tf.layers.dense(net, units, tf.nn.relu, name="fc%d" % i)
            self.q = tf.layers.dense(net, n_actions, name="q")
        self.params = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope)


class DQNAgent:
    def __init__(self, sess, n_states, n_actions, lr=5e-4, gamma=0.99, tau=1e-3):
        self.sess = sess
        self.n_actions = n_actions
        self.gamma = gamma
        self.tau = tau
        self.memory = deque(maxlen=100000)
        self.epsilon = 1.0
        self.local = QNetwork("local", n_states, n_actions)
        self.target = QNetwork("target", n_states, n_actions)
        self.actions = tf.placeholder(tf.int32, [None])
        self.targets = tf.placeholder(tf.float32, [None])
        chosen = tf.reduce_sum(self.local.q * tf.one_hot(self.actions, n_actions), 1)
        self.loss = tf.reduce_mean(tf.squared_difference(self.targets, chosen))
        self.train_op = tf.train.AdamOptimizer(lr).minimize(self.loss, var_list=self.local.params)

    def act(self, state):
        if random.random() < self.epsilon:
            return random.randrange(self.n_actions)
        q = self.sess.run(self.local.q, {self.local.states: state[None]})
        return int(np.argmax(q))

    def remember(self, *transition):
        self.memory.append(transition)

    def soft_update(self):
        for source, copy in zip(self.local.params, self.target.params):
            value = self.tau * source + (1.0 - self.tau) * copy
            self.sess.run(tf.assign(copy, value))  # finding: graph-growth

    def learn(self, batch_size=64):
        if len(self.memory) < batch_size:
            return None
        states, actions, rewards, following, done = map(np.array, zip(*random.sample(self.memory, batch_size)))
        q_next = self.sess.run(self.target.q, {self.target.states: following})
        targets = rewards + self.gamma * q_next.max(1) * (1 - done)
        loss, _ = self.sess.run(
            [self.loss, self.train_op],
            {self.local.states: states, self.actions: actions, self.targets: targets},
        )
        self.soft_update()
        return loss
