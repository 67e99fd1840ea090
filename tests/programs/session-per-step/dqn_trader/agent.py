import collections
import random

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class QNetwork:
    def __init__(self, inputs, actions, hidden=(64, 32), lr=1e-3):
        self.inputs, self.actions = inputs, actions
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.state = tf.placeholder(tf.float32, [None, inputs])
            self.target = tf.placeholder(tf.float32, [None, actions])
            h = self.state
            for units in hidden:
                h = tf.layers.dense(h, units, activation=tf.nn.relu)
            self.q = tf.layers.dense(h, actions)
            self.loss = tf.reduce_mean(tf.square(self.q - self.target))
            self.train_op = tf.train.AdamOptimizer(lr).minimize(self.loss)
            self.init = tf.global_variables_initializer()
            self.saver = tf.train.Saver()


class Agent:
    def __init__(self, inputs, actions, path, gamma=0.95):
        self.net = QNetwork(inputs, actions)
        self.path = path
        self.gamma = gamma
        self.epsilon = 1.0
        self.memory = collections.deque(maxlen=20000)
        with tf.Session(graph=self.net.graph) as sess:
            sess.run(self.net.init)
            self.net.saver.save(sess, self.path)

    def _session(self):
        sess = tf.Session(graph=self.net.graph)  # finding: session-per-step
        self.net.saver.restore(sess, self.path)
        return sess

    def act(self, state):
        if random.random() < self.epsilon:
            return random.randrange(self.net.actions)
        sess = self._session()
        q = sess.run(self.net.q, {self.net.state: state[None]})
        sess.close()
        return int(np.argmax(q[0]))

    def remember(self, *transition):
        self.memory.append(transition)

    def replay(self, batch_size):
        rows = random.sample(self.memory, batch_size)
        states = np.stack([r[0] for r in rows])
        nexts = np.stack([r[3] for r in rows])
        with self._session() as sess:
            target = sess.run(self.net.q, {self.net.state: states})
            future = sess.run(self.net.q, {self.net.state: nexts}).max(axis=1)
            for i, (_, action, reward, _, done) in enumerate(rows):
                target[i, action] = reward if done else reward + self.gamma * future[i]
            sess.run(self.net.train_op, {self.net.state: states, self.net.target: target})
            self.net.saver.save(sess, self.path)
        self.epsilon = max(0.01, self.epsilon * 0.995)
