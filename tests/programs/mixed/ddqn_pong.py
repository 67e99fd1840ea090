# requires: tensorflow==1.14
import collections
import random

import gym
import numpy as np
import tensorflow as tf

Transition = collections.namedtuple("Transition", "s a r s2 done")


def conv_q(x, n_actions, scope):
    with tf.variable_scope(scope):
        h = tf.cast(x, tf.float32) / 255.0
        for i, (c, k, st) in enumerate([(32, 8, 4), (64, 4, 2), (64, 3, 1)]):
            h = tf.layers.conv2d(h, c, k, st, activation=tf.nn.relu, name="c%d" % i)
        h = tf.layers.dense(tf.layers.flatten(h), 512, tf.nn.relu, name="fc")
        return tf.layers.dense(h, n_actions, name="q")


class Base(object):
    def __init__(self, sess, n_actions, gamma=0.99):
        self.sess, self.n = sess, n_actions
        self.s = tf.placeholder(tf.uint8, [None, 84, 84, 4])
        self.s2 = tf.placeholder(tf.uint8, [None, 84, 84, 4])
        self.a = tf.placeholder(tf.int32, [None])
        self.y = tf.placeholder(tf.float32, [None])
        self.gamma = gamma
        self.build()

    def weights(self, scope):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)

    def copies(self):
        for src, dst in zip(self.weights("online"), self.weights("target")):
            yield dst.assign(src)  # finding: graph-growth


class DoubleDQN(Base):
    def build(self):
        self.q = conv_q(self.s, self.n, "online")
        self.q_t = conv_q(self.s2, self.n, "target")
        picked = tf.reduce_sum(self.q * tf.one_hot(self.a, self.n), 1)
        self.loss = tf.losses.huber_loss(self.y, picked)
        self.opt = tf.train.AdamOptimizer(1e-4).minimize(self.loss, var_list=self.weights("online"))

    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(self.n)
        return int(self.sess.run(self.q, {self.s: s[None]})[0].argmax())

    def learn(self, batch):
        s, a, r, s2, d = (np.array(c) for c in zip(*batch))
        best, qt = self.sess.run([self.q, self.q_t], {self.s: s2, self.s2: s2})
        tgt = r + self.gamma * (1 - d) * qt[np.arange(len(a)), best.argmax(1)]
        return self.sess.run([self.loss, self.opt], {self.s: s, self.a: a, self.y: tgt})[0]

    def refresh(self):
        self.sess.run(list(self.copies()))


def hwc(frames):
    return np.moveaxis(np.asarray(frames), 0, -1)


def rollout(env, agent, memory, total):
    s, ep, t = hwc(env.reset()), 0.0, 0
    while t < total:
        eps = max(0.02, 1.0 - t / 1e5)
        a = agent.act(s, eps)
        s2, r, done, _ = env.step(a)
        s2 = hwc(s2)
        memory.append(Transition(s, a, np.sign(r), s2, float(done)))
        ep += r
        t += 1
        if done:
            print(t, ep)
            s, ep = hwc(env.reset()), 0.0
        else:
            s = s2
        yield t


def main():
    env = gym.wrappers.FrameStack(gym.wrappers.AtariPreprocessing(gym.make("PongNoFrameskip-v4")), 4)
    memory = collections.deque(maxlen=100000)
    with tf.Session() as sess:
        agent = DoubleDQN(sess, env.action_space.n)
        sess.run(tf.global_variables_initializer())
        agent.refresh()
        for t in rollout(env, agent, memory, 2000000):
            if t > 10000 and t % 4 == 0:
                agent.learn(random.sample(memory, 32))
            if t % 1000 == 0:
                agent.refresh()


if __name__ == "__main__":
    main()
