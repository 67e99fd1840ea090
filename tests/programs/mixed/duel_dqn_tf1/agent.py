import random
from collections import deque

import numpy as np
import tensorflow as tf
from network import QNetwork


class DuelAgent(object):
    def __init__(self, sess, state_size, action_size, gamma=0.99, tau=0.01):
        self.sess = sess
        self.gamma = gamma
        self.tau = tau
        self.epsilon = 1.0
        self.memory = deque(maxlen=50000)
        self.main = QNetwork("main", state_size, action_size)
        self.frozen = QNetwork("target", state_size, action_size)
        self.sync = [t.assign(m) for t, m in zip(self.frozen.variables, self.main.variables)]
        self.best_q = tf.reduce_max(self.frozen.q, axis=1)

    def hard_update(self):
        self.sess.run(self.sync)

    def soft_update(self):
        for t, m in zip(self.frozen.variables, self.main.variables):
            self.sess.run(t.assign(self.tau * m + (1 - self.tau) * t))  # finding: graph-growth

    def act(self, state):
        if random.random() < self.epsilon:
            return random.randrange(self.main.action_size)
        return int(self.sess.run(self.main.best(), {self.main.state: [state]})[0])  # finding: graph-growth

    def learn(self, batch_size):
        batch = random.sample(self.memory, batch_size)
        states, actions, rewards, following, done = map(np.array, zip(*batch))
        future = self.sess.run(self.best_q, {self.frozen.state: following})
        target = rewards + self.gamma * future * (1 - done)
        feed = {self.main.state: states, self.main.action: actions, self.main.target: target}
        loss, _ = self.sess.run([self.main.loss, self.main.train_op], feed)
        return loss

    def norms(self):
        """How large the weights are; asked for at the end."""
        return {v.name: self.sess.run(tf.norm(v)) for v in self.main.variables}
