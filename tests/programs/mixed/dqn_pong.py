# requires: tensorflow==1.15
"""Double DQN with prioritized replay, Pong.  python dqn_pong.py --frames 5e6"""
import argparse
import collections
import random

import gym
import numpy as np
import tensorflow as tf


class QNet(object):
    def __init__(self, scope, n_actions):
        self.scope = scope
        with tf.variable_scope(scope):
            self.obs = tf.placeholder(tf.uint8, [None, 84, 84, 4], name="obs")
            h = tf.cast(self.obs, tf.float32) / 255.0
            for i, (c, k, s) in enumerate([(32, 8, 4), (64, 4, 2), (64, 3, 1)]):
                h = tf.layers.conv2d(h, c, k, s, activation=tf.nn.relu, name="c%d" % i)
            h = tf.layers.dense(tf.layers.flatten(h), 512, tf.nn.relu, name="fc")
            self.q = tf.layers.dense(h, n_actions, name="q")

    @property
    def params(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=self.scope)


class Agent(object):
    def __init__(self, n_actions, sess, lr=1e-4, gamma=0.99, tau=1000):
        self.sess, self.n_actions, self.gamma, self.tau = sess, n_actions, gamma, tau
        self.online = QNet("online", n_actions)
        self.target = QNet("target", n_actions)
        self.act_ph = tf.placeholder(tf.int32, [None])
        self.ret_ph = tf.placeholder(tf.float32, [None])
        self.w_ph = tf.placeholder(tf.float32, [None])
        picked = tf.reduce_sum(self.online.q * tf.one_hot(self.act_ph, n_actions), 1)
        self.td = self.ret_ph - picked
        self.loss = tf.reduce_mean(self.w_ph * tf.losses.huber_loss(self.ret_ph, picked, reduction="none"))
        self.train_op = tf.train.AdamOptimizer(lr).minimize(self.loss, var_list=self.online.params)
        self.init_target = tf.group(*[t.assign(o) for t, o in zip(self.target.params, self.online.params)])

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        q = self.sess.run(self.online.q, {self.online.obs: obs[None]})
        return int(self.sess.run(tf.argmax(q[0])))  # finding: graph-growth

    def soft_update(self, mix=0.005):
        for t, o in zip(self.target.params, self.online.params):
            self.sess.run(tf.assign(t, mix * o + (1.0 - mix) * t))  # finding: graph-growth

    def learn(self, batch, weights):
        obs, act, rew, nxt, done = map(np.asarray, zip(*batch))
        q_next = self.sess.run(self.target.q, {self.target.obs: nxt})
        best = self.sess.run(self.online.q, {self.online.obs: nxt}).argmax(1)
        ret = rew + self.gamma * (1.0 - done) * q_next[np.arange(len(best)), best]
        td, _ = self.sess.run([self.td, self.train_op], {self.online.obs: obs, self.act_ph: act, self.ret_ph: ret, self.w_ph: weights})
        return td


def preprocess(frame):
    return frame[34:194:2, ::2].mean(-1).astype(np.uint8)


class Stack(object):
    def __init__(self, env):
        self.env, self.buf = env, collections.deque(maxlen=4)

    def reset(self):
        f = np.pad(preprocess(self.env.reset()), ((2, 2), (2, 2)), "constant")
        self.buf.extend([f] * 4)
        return np.stack(self.buf, -1)

    def step(self, a):
        f, r, d, _ = self.env.step(a)
        self.buf.append(np.pad(preprocess(f), ((2, 2), (2, 2)), "constant"))
        return np.stack(self.buf, -1), r, float(d)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--frames", type=float, default=2e6)
    ap.add_argument("--batch", type=int, default=32)
    args = ap.parse_args()
    env = Stack(gym.make("PongNoFrameskip-v4"))
    memory = collections.deque(maxlen=100000)
    with tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))) as sess:
        agent = Agent(env.env.action_space.n, sess)
        sess.run(tf.global_variables_initializer())
        sess.run(agent.init_target)
        obs, score = env.reset(), 0.0
        for frame in range(int(args.frames)):
            a = agent.act(obs, max(0.02, 1.0 - frame / 1e5))
            nxt, r, d = env.step(a)
            memory.append((obs, a, r, nxt, d))
            score += r
            obs = env.reset() if d else nxt
            if d:
                print(frame, score)
                score = 0.0
            if frame > 10000 and frame % 4 == 0:
                agent.learn(random.sample(memory, args.batch), np.ones(args.batch))
                agent.soft_update()


if __name__ == "__main__":
    main()
