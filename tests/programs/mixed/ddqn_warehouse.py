# requires: tensorflow==1.15
# Double DQN for a pick-and-place grid.  Course project, second hand-in.
import os
import random
from collections import deque

import gym
import numpy as np
import tensorflow as tf

CKPT = os.path.join("ckpt", "dqn")


class ReplayBuffer(object):
    def __init__(self, size):
        self.d = deque(maxlen=size)

    def add(self, *t):
        self.d.append(t)

    def sample(self, n):
        return [np.array(c) for c in zip(*random.sample(self.d, n))]


class Agent(object):
    def __init__(self, n_obs, n_act, gamma=0.99, lr=5e-4):
        self.n_act, self.gamma = n_act, gamma
        self.eps = 1.0
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.obs = tf.placeholder(tf.float32, [None, n_obs])
            self.act = tf.placeholder(tf.int32, [None])
            self.target = tf.placeholder(tf.float32, [None])
            self.q = self._net(self.obs, "online")
            self.q_old = self._net(self.obs, "target")
            chosen = tf.reduce_sum(self.q * tf.one_hot(self.act, n_act), 1)
            loss = tf.losses.huber_loss(self.target, chosen)
            on = tf.trainable_variables("online")
            old = tf.trainable_variables("target")
            self.step = tf.train.AdamOptimizer(lr).minimize(loss, var_list=on)
            self.sync = tf.group(*[tf.assign(o, n) for o, n in zip(old, on)])
            self.saver = tf.train.Saver()
            self.init = tf.global_variables_initializer()
        self.sess = tf.Session(graph=self.graph)
        self.sess.run(self.init)

    def _net(self, x, scope):
        with tf.variable_scope(scope):
            h = tf.layers.dense(x, 256, tf.nn.relu)
            h = tf.layers.dense(h, 256, tf.nn.relu)
            return tf.layers.dense(h, self.n_act)

    def choose(self, obs):
        if random.random() < self.eps:
            return random.randrange(self.n_act)
        return int(np.argmax(self.sess.run(self.q, {self.obs: obs[None]})))

    def learn(self, batch):
        o, a, r, o2, done = batch
        best = np.argmax(self.sess.run(self.q, {self.obs: o2}), 1)
        nxt = self.sess.run(self.q_old, {self.obs: o2})[np.arange(len(a)), best]
        self.sess.run(self.step, {self.obs: o, self.act: a, self.target: r + self.gamma * nxt * (1 - done)})

    def save(self):
        self.saver.save(self.sess, CKPT)


class GreedyAgent(Agent):
    """Plays from the last checkpoint; used by the evaluator."""

    def choose(self, obs):
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            self.saver.restore(sess, CKPT)
            q = sess.run(self.q, {self.obs: obs[None]})
        return int(q.argmax())


def rollout(env, agent, limit=500):
    obs, total = env.reset(), 0.0
    for _ in range(limit):
        obs, r, done, _ = env.step(agent.choose(obs))
        total += r
        if done:
            break
    return total


def main():
    env = gym.make("Warehouse-v0")
    n_obs, n_act = env.observation_space.shape[0], env.action_space.n
    agent = Agent(n_obs, n_act)
    judge = GreedyAgent(n_obs, n_act)
    memory = ReplayBuffer(100000)
    t = 0
    for episode in range(3000):
        obs, done = env.reset(), False
        while not done:
            a = agent.choose(obs)
            nxt, r, done, _ = env.step(a)
            memory.add(obs, a, r, nxt, float(done))
            obs = nxt
            t += 1
            if t > 1000:
                agent.learn(memory.sample(64))
            if t % 2000 == 0:
                agent.sess.run(agent.sync)
        agent.eps = max(0.05, agent.eps * 0.997)
        if episode % 50 == 49:
            agent.save()
            print(episode, np.mean([rollout(env, judge) for _ in range(10)]))


if __name__ == "__main__":
    main()
