# requires: tensorflow==1.13.*, gym==0.12.*
"""DDPG for the pendulum: actor, critic, and slow copies of both."""

import gym
import numpy as np
import tensorflow as tf


class Replay(object):
    def __init__(self, capacity, dims):
        self.data = np.zeros((capacity, dims), dtype=np.float32)
        self.size = self.pointer = 0

    def store(self, *parts):
        self.data[self.pointer] = np.concatenate([np.ravel(part) for part in parts])
        self.pointer = (self.pointer + 1) % len(self.data)
        self.size = min(self.size + 1, len(self.data))

    def sample(self, n):
        return self.data[np.random.randint(self.size, size=n)]


class DDPG(object):
    TAU, GAMMA, BATCH = 0.01, 0.9, 64

    def __init__(self, s_dim, a_dim, bound):
        self.s_dim, self.a_dim, self.bound = s_dim, a_dim, bound
        self.replay = Replay(20000, 2 * s_dim + a_dim + 1)
        self.sess = tf.Session()
        self.s = tf.placeholder(tf.float32, [None, s_dim], "s")
        self.s2 = tf.placeholder(tf.float32, [None, s_dim], "s2")
        self.r = tf.placeholder(tf.float32, [None, 1], "r")
        self.a = self._actor(self.s, "actor/eval", True)
        a2 = self._actor(self.s2, "actor/target", False)
        q = self._critic(self.s, self.a, "critic/eval", True)
        q2 = self._critic(self.s2, a2, "critic/target", False)
        error = tf.losses.mean_squared_error(self.r + self.GAMMA * q2, q)
        self.train_critic = tf.train.AdamOptimizer(2e-3).minimize(
            error, var_list=self._variables("critic/eval")
        )
        self.train_actor = tf.train.AdamOptimizer(1e-3).minimize(
            -tf.reduce_mean(q), var_list=self._variables("actor/eval")
        )
        self.sess.run(tf.global_variables_initializer())

    def _actor(self, s, scope, trainable):
        with tf.variable_scope(scope):
            net = tf.layers.dense(s, 30, tf.nn.relu, trainable=trainable)
            return self.bound * tf.layers.dense(net, self.a_dim, tf.nn.tanh, trainable=trainable)

    def _critic(self, s, a, scope, trainable):
        with tf.variable_scope(scope):
            net = tf.layers.dense(tf.concat([s, a], 1), 30, tf.nn.relu, trainable=trainable)
            return tf.layers.dense(net, 1, trainable=trainable)

    def _variables(self, scope):
        return tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=scope)

    def act(self, state):
        return self.sess.run(self.a, {self.s: state[None]})[0]

    def follow(self, name):
        pairs = zip(self._variables(name + "/target"), self._variables(name + "/eval"))
        for slow, fast in pairs:
            self.sess.run(tf.assign(slow, (1 - self.TAU) * slow + self.TAU * fast))  # finding: graph-growth

    def learn(self):
        rows = self.replay.sample(self.BATCH)
        s, a = rows[:, : self.s_dim], rows[:, self.s_dim : self.s_dim + self.a_dim]
        r, s2 = rows[:, -self.s_dim - 1 : -self.s_dim], rows[:, -self.s_dim :]
        self.sess.run(self.train_actor, {self.s: s})
        self.sess.run(self.train_critic, {self.s: s, self.a: a, self.r: r, self.s2: s2})
        self.follow("actor")
        self.follow("critic")


def main():
    env = gym.make("Pendulum-v0")
    bound = env.action_space.high
    agent = DDPG(env.observation_space.shape[0], env.action_space.shape[0], bound)
    spread = 3.0
    for episode in range(200):
        state, total = env.reset(), 0.0
        for _ in range(200):
            action = np.clip(np.random.normal(agent.act(state), spread), -bound, bound)
            after, reward, _, _ = env.step(action)
            agent.replay.store(state, action, reward / 10, after)
            if agent.replay.size > 5000:
                spread *= 0.9995
                agent.learn()
            state, total = after, total + reward
        print(episode, int(total), "spread %.2f" % spread)


if __name__ == "__main__":
    main()
