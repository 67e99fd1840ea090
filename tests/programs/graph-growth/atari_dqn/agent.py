import random

import numpy as np
import tensorflow as tf

from network import QNetwork, copy_ops


class DQNAgent(object):
    def __init__(self, session, num_actions, gamma=0.99, lr=2.5e-4):
        self.session = session
        self.num_actions = num_actions
        self.online = QNetwork(num_actions, "online")
        self.target = QNetwork(num_actions, "target")
        self.pull = copy_ops(self.online, self.target)

        self.actions = tf.placeholder(tf.int32, [None])
        self.rewards = tf.placeholder(tf.float32, [None])
        self.dones = tf.placeholder(tf.float32, [None])
        chosen = tf.reduce_sum(self.online.q * tf.one_hot(self.actions, num_actions), axis=1)
        best = tf.reduce_max(self.target.q, axis=1)
        wanted = tf.stop_gradient(self.rewards + gamma * (1.0 - self.dones) * best)
        self.td_error = wanted - chosen
        self.loss = tf.losses.huber_loss(wanted, chosen)
        self.train_op = tf.train.RMSPropOptimizer(lr).minimize(
            self.loss, var_list=self.online.variables
        )
        session.run(tf.global_variables_initializer())

    def act(self, state, epsilon):
        if random.random() < epsilon:
            return random.randrange(self.num_actions)
        q = self.session.run(self.online.q, {self.online.frames: state[None]})
        return int(np.argmax(q[0]))

    def learn(self, states, actions, rewards, following, dones):
        feed = {
            self.online.frames: states,
            self.target.frames: following,
            self.actions: actions,
            self.rewards: rewards,
            self.dones: dones,
        }
        return self.session.run([self.train_op, self.loss], feed)[1]

    def hard_sync(self):
        self.session.run(self.pull)


class BoltzmannAgent(DQNAgent):
    """Explores by a softmax over the action values, and drags its target network along."""

    temperature = 0.1
    tau = 0.005

    def act(self, state, epsilon):
        q = self.session.run(self.online.q, {self.online.frames: state[None]})
        policy = tf.nn.softmax(q[0] / self.temperature)  # finding: graph-growth
        return np.random.choice(self.num_actions, p=self.session.run(policy))

    def soft_sync(self):
        pairs = zip(self.online.variables, self.target.variables)
        for o, t in pairs:
            self.session.run(t.assign(self.tau * o + (1 - self.tau) * t))  # finding: graph-growth

    def learn(self, *batch):
        loss = super(BoltzmannAgent, self).learn(*batch)
        self.soft_sync()
        return loss
