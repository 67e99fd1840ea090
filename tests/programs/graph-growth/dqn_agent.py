# requires: tensorflow==1.15.*
"""DQN with a target network for CartPole and friends."""
import collections
import random

import gym
import numpy as np
import tensorflow as tf


class QNetwork:
    def __init__(self, name, n_states, n_actions, hidden=64):
        self.name = name
        with tf.variable_scope(name):
            self.states = tf.placeholder(tf.float32, [None, n_states])
            h = tf.layers.dense(self.states, hidden, tf.nn.relu)
            h = tf.layers.dense(h, hidden, tf.nn.relu)
            self.q = tf.layers.dense(h, n_actions)
        self.variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=name)


class Agent:
    def __init__(self, env, gamma=0.99, lr=1e-3, tau=0.01):
        self.env = env
        self.gamma, self.tau = gamma, tau
        n_states = env.observation_space.shape[0]
        self.n_actions = env.action_space.n
        self.memory = collections.deque(maxlen=50000)
        self.online = QNetwork("online", n_states, self.n_actions)
        self.target = QNetwork("target", n_states, self.n_actions)
        self.actions = tf.placeholder(tf.int32, [None])
        self.returns = tf.placeholder(tf.float32, [None])
        chosen = tf.reduce_sum(self.online.q * tf.one_hot(self.actions, self.n_actions), 1)
        self.loss = tf.losses.huber_loss(self.returns, chosen)
        self.train_op = tf.train.AdamOptimizer(lr).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def act(self, state, epsilon):
        if random.random() < epsilon:
            return self.env.action_space.sample()
        return int(np.argmax(self.sess.run(self.online.q, {self.online.states: state[None]})))

    def soft_update(self):
        for t, o in zip(self.target.variables, self.online.variables):
            self.sess.run(t.assign(self.tau * o + (1 - self.tau) * t))  # finding: graph-growth

    def replay(self, size=64):
        batch = random.sample(self.memory, size)
        s, a, r, s2, done = map(np.array, zip(*batch))
        q2 = self.sess.run(self.target.q, {self.target.states: s2})
        returns = r + self.gamma * (1 - done) * q2.max(axis=1)
        _, loss = self.sess.run([self.train_op, self.loss], {
            self.online.states: s, self.actions: a, self.returns: returns})
        return loss

    def learn(self, episodes):
        epsilon, scores = 1.0, []
        for episode in range(episodes):
            state, done, score = self.env.reset(), False, 0.0
            while not done:
                action = self.act(state, epsilon)
                nxt, reward, done, _ = self.env.step(action)
                self.memory.append((state, action, reward, nxt, float(done)))
                state, score = nxt, score + reward
                if len(self.memory) >= 1000:
                    self.replay()
                    self.soft_update()
            epsilon = max(0.02, epsilon * 0.995)
            scores.append(score)
            if episode % 20 == 0:
                print(episode, np.mean(scores[-20:]), epsilon)
        return scores


if __name__ == "__main__":
    Agent(gym.make("CartPole-v1")).learn(600)
