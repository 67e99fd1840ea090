from __future__ import print_function

import random
from collections import deque

import gym
import numpy as np
import tensorflow as tf


class QNetwork(object):
    def __init__(self, name, n_actions, shape=(84, 84, 4)):
        with tf.variable_scope(name):
            self.frames = tf.placeholder(tf.float32, (None,) + shape, "frames")
            x = tf.layers.conv2d(self.frames, 32, 8, 4, activation=tf.nn.relu)
            x = tf.layers.conv2d(x, 64, 4, 2, activation=tf.nn.relu)
            x = tf.layers.flatten(x)
            x = tf.layers.dense(x, 512, activation=tf.nn.relu)
            self.q = tf.layers.dense(x, n_actions)
        self.variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=name)


class Learner(object):
    def __init__(self, sess, n_actions, gamma=0.99):
        self.sess = sess
        self.gamma = gamma
        self.online = QNetwork("online", n_actions)
        self.target = QNetwork("target", n_actions)
        self.actions = tf.placeholder(tf.int32, [None])
        self.goals = tf.placeholder(tf.float32, [None])
        chosen = tf.reduce_sum(self.online.q * tf.one_hot(self.actions, n_actions), axis=1)
        self.loss = tf.losses.huber_loss(self.goals, chosen)
        self.train_op = tf.train.RMSPropOptimizer(2.5e-4).minimize(self.loss)

    def soft_update(self, tau=0.005):
        for target, online in zip(self.target.variables, self.online.variables):
            mixed = tau * self.sess.run(online) + (1 - tau) * self.sess.run(target)
            target.load(mixed, self.sess)  # finding: load-per-variable

    def restore(self, path):
        weights = np.load(path)
        for variable in self.online.variables:
            variable.load(weights[variable.op.name], self.sess)

    def learn(self, states, actions, rewards, next_states, dones):
        best = self.sess.run(self.online.q, {self.online.frames: next_states}).argmax(axis=1)
        values = self.sess.run(self.target.q, {self.target.frames: next_states})
        goals = rewards + self.gamma * (1 - dones) * values[np.arange(len(best)), best]
        feed = {self.online.frames: states, self.actions: actions, self.goals: goals}
        loss, _ = self.sess.run([self.loss, self.train_op], feed)
        self.soft_update()
        return loss

    def act(self, state, epsilon):
        if random.random() < epsilon:
            return random.randrange(self.online.q.shape[-1].value)
        return int(self.sess.run(self.online.q, {self.online.frames: state[None]}).argmax())


def main():
    env = gym.make("BreakoutNoFrameskip-v4")
    memory = deque(maxlen=100000)
    with tf.Session() as sess:
        learner = Learner(sess, env.action_space.n)
        sess.run(tf.global_variables_initializer())
        for episode in range(5000):
            state, done = env.reset(), False
            while not done:
                action = learner.act(state, max(0.05, 1 - episode / 1000.0))
                following, reward, done, _ = env.step(action)
                memory.append((state, action, reward, following, done))
                state = following
                if len(memory) > 1000:
                    chosen = random.sample(memory, 32)
                    learner.learn(*[np.array(column) for column in zip(*chosen)])


if __name__ == "__main__":
    main()
