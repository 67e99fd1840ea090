# requires: tensorflow==1.15.*
"""DDPG; all ops are built in the constructor, the loop only runs them."""
import functools

import gym
import numpy as np
import tensorflow as tf


def mlp(x, sizes, final=None):
    for size in sizes[:-1]:
        x = tf.layers.dense(x, size, activation=tf.nn.relu)
    return tf.layers.dense(x, sizes[-1], activation=final)


class Buffer:
    def __init__(self, obs_dim, act_dim, size):
        self.obs = np.zeros([size, obs_dim], np.float32)
        self.nxt = np.zeros([size, obs_dim], np.float32)
        self.act = np.zeros([size, act_dim], np.float32)
        self.rew = np.zeros([size], np.float32)
        self.done = np.zeros([size], np.float32)
        self.ptr, self.count, self.size = 0, 0, size

    def store(self, *row):
        for array, value in zip((self.obs, self.act, self.rew, self.nxt, self.done), row):
            array[self.ptr] = value
        self.ptr = (self.ptr + 1) % self.size
        self.count = min(self.count + 1, self.size)

    def sample(self, n):
        i = np.random.randint(0, self.count, n)
        return self.obs[i], self.act[i], self.rew[i], self.nxt[i], self.done[i]


class DDPG:
    def __init__(self, obs_dim, act_dim, limit, polyak=0.995, gamma=0.99):
        self.limit, self.act_dim = limit, act_dim
        ph = functools.partial(tf.placeholder, tf.float32)
        self.inputs = [ph([None, obs_dim]), ph([None, act_dim]), ph([None]), ph([None, obs_dim]), ph([None])]
        x, a, r, x2, d = self.inputs
        with tf.variable_scope("main"):
            self.pi, q, q_pi = self._nets(x, a)
        with tf.variable_scope("target"):
            _, _, q_target = self._nets(x2, a)
        backup = tf.stop_gradient(r + gamma * (1 - d) * q_target)
        q_loss = tf.reduce_mean((q - backup) ** 2)
        get = functools.partial(tf.trainable_variables)
        train_pi = tf.train.AdamOptimizer(1e-3).minimize(-tf.reduce_mean(q_pi), var_list=get("main/pi"))
        train_q = tf.train.AdamOptimizer(1e-3).minimize(q_loss, var_list=get("main/q"))
        self.train_ops = [q_loss, train_pi, train_q]
        pairs = list(zip(get("main"), get("target")))
        self.update = tf.group([t.assign(polyak * t + (1 - polyak) * m) for m, t in pairs])
        self.copy = tf.group([t.assign(m) for m, t in pairs])
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        self.sess.run(self.copy)

    def _nets(self, x, a):
        with tf.variable_scope("pi"):
            pi = self.limit * mlp(x, (256, 256, self.act_dim), tf.tanh)
        with tf.variable_scope("q"):
            q = tf.squeeze(mlp(tf.concat([x, a], -1), (256, 256, 1)), 1)
        with tf.variable_scope("q", reuse=tf.AUTO_REUSE):
            q_pi = tf.squeeze(mlp(tf.concat([x, pi], -1), (256, 256, 1)), 1)
        return pi, q, q_pi

    def act(self, obs, noise):
        a = self.sess.run(self.pi, {self.inputs[0]: obs[None]})[0]
        return np.clip(a + noise * np.random.randn(self.act_dim), -self.limit, self.limit)

    def learn(self, batch):
        loss = self.sess.run(self.train_ops, dict(zip(self.inputs, batch)))[0]
        self.sess.run(self.update)
        return loss


def main():
    env = gym.make("Pendulum-v0")
    obs_dim, act_dim = env.observation_space.shape[0], env.action_space.shape[0]
    agent = DDPG(obs_dim, act_dim, env.action_space.high[0])
    buffer = Buffer(obs_dim, act_dim, 100000)
    for episode in range(200):
        obs, done, total = env.reset(), False, 0.0
        while not done:
            a = agent.act(obs, 0.1)
            nxt, reward, done, _ = env.step(a)
            buffer.store(obs, a, reward, nxt, done)
            obs, total = nxt, total + reward
            if buffer.count > 1000:
                agent.learn(buffer.sample(100))
        print(episode, total)


if __name__ == "__main__":
    main()
