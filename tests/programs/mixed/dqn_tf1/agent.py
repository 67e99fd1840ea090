"""Deep Q-learning with a target network."""
import random
from collections import deque

import gym
import numpy as np
import tensorflow as tf


class QNetwork:
    def __init__(self, scope, states, actions):
        with tf.variable_scope(scope):
            self.state = tf.placeholder(tf.float32, [None, states])
            self.target = tf.placeholder(tf.float32, [None])
            self.action = tf.placeholder(tf.int32, [None])
            hidden = tf.layers.dense(self.state, 64, tf.nn.relu)
            self.q = tf.layers.dense(hidden, actions)
            picked = tf.reduce_sum(self.q * tf.one_hot(self.action, actions), 1)
            self.loss = tf.losses.mean_squared_error(self.target, picked)
            self.step = tf.train.AdamOptimizer(1e-3).minimize(self.loss)
        self.weights = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)


class Agent:
    def __init__(self, env, sess):
        self.env, self.sess = env, sess
        states, actions = env.observation_space.shape[0], env.action_space.n
        self.online = QNetwork("online", states, actions)
        self.frozen = QNetwork("frozen", states, actions)
        self.memory = deque(maxlen=50000)
        self.copies = [f.assign(o) for f, o in zip(self.frozen.weights, self.online.weights)]

    def sync(self):
        self.sess.run(self.copies)

    def sync_slowly(self, tau):
        for f, o in zip(self.frozen.weights, self.online.weights):
            self.sess.run(tf.assign(f, tau * o + (1 - tau) * f))  # finding: graph-growth

    def act(self, state, epsilon):
        if random.random() < epsilon:
            return self.env.action_space.sample()
        q = self.sess.run(self.online.q, {self.online.state: state[None]})
        return int(self.sess.run(tf.argmax(q, axis=1))[0])  # finding: graph-growth

    def learn(self, batch_size, gamma):
        rows = random.sample(self.memory, batch_size)
        state, action, reward, following, done = map(np.array, zip(*rows))
        best = self.sess.run(self.frozen.q, {self.frozen.state: following}).max(1)
        target = reward + gamma * best * (1 - done)
        feed = {self.online.state: state, self.online.action: action, self.online.target: target}
        self.sess.run(self.online.step, feed)


def run(episodes=500):
    env = gym.make("CartPole-v1")
    with tf.Session() as sess:
        agent = Agent(env, sess)
        sess.run(tf.global_variables_initializer())
        for episode in range(episodes):
            state, done, total = env.reset(), False, 0
            while not done:
                action = agent.act(state, max(0.02, 1 - episode / 200))
                following, reward, done, _ = env.step(action)
                agent.memory.append((state, action, reward, following, float(done)))
                state, total = following, total + reward
                if len(agent.memory) > 1000:
                    agent.learn(64, 0.99)
                    agent.sync_slowly(0.01)
            if episode % 20 == 0:
                agent.sync()
                print(episode, total)


if __name__ == "__main__":
    run()
