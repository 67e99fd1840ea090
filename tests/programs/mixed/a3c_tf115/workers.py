import threading

import gym
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, scope, obs, actions):
        with tf.variable_scope(scope):
            self.s = tf.placeholder(tf.float32, [None, obs])
            h = tf.layers.dense(self.s, 128, tf.nn.relu6)
            self.p = tf.layers.dense(h, actions, tf.nn.softmax)
            self.v = tf.layers.dense(h, 1)
            self.a = tf.placeholder(tf.int32, [None])
            self.r = tf.placeholder(tf.float32, [None, 1])
            td = self.r - self.v
            logp = tf.log(tf.reduce_sum(self.p * tf.one_hot(self.a, actions), 1) + 1e-6)
            self.loss = tf.reduce_mean(tf.square(td)) - tf.reduce_mean(logp * tf.stop_gradient(td[:, 0]))
        self.vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
        self.grads = tf.gradients(self.loss, self.vars)


class Worker:
    def __init__(self, name, shared, opt, sess):
        self.env = gym.make("CartPole-v0").unwrapped
        self.net = Net(name, 4, 2)
        self.shared, self.opt, self.sess = shared, opt, sess
        self.push = opt.apply_gradients(zip(self.net.grads, shared.vars))

    def pull(self):
        self.sess.run([l.assign(g) for l, g in zip(self.net.vars, self.shared.vars)])  # finding: graph-growth

    def choose(self, state):
        p = self.sess.run(self.net.p, {self.net.s: state[None]})
        return np.random.choice(p.shape[1], p=p.ravel())

    def work(self, coord):
        while not coord.should_stop():
            s, rows = self.env.reset(), []
            for t in range(500):
                a = self.choose(s)
                s2, r, done, _ = self.env.step(a)
                rows.append((s, a, r))
                if len(rows) == 10 or done:
                    feed = dict(zip((self.net.s, self.net.a, self.net.r), map(np.array, zip(*rows))))
                    feed[self.net.r] = feed[self.net.r][:, None]
                    self.sess.run(self.push, feed)
                    self.pull()
                    rows = []
                if done:
                    break
                s = s2


class Logger:
    def __init__(self, sess, net):
        self.sess, self.net = sess, net

    def __call__(self, state):
        entropy = -tf.reduce_sum(self.net.p * tf.log(self.net.p), 1)  # finding: graph-growth
        return self.sess.run(entropy, {self.net.s: state})


def watch(sess, net, env, report, steps=10000):
    state = env.reset()
    for _ in range(steps):
        print(report(state[None]))
        state, _, done, _ = env.step(env.action_space.sample())
        if done:
            state = env.reset()


def main():
    sess = tf.Session()
    opt = tf.train.RMSPropOptimizer(1e-3)
    shared = Net("shared", 4, 2)
    workers = [Worker("w%d" % i, shared, opt, sess) for i in range(4)]
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = [threading.Thread(target=w.work, args=(coord,)) for w in workers]
    for t in threads:
        t.start()
    watch(sess, shared, gym.make("CartPole-v0"), Logger(sess, shared))
    coord.request_stop()
    coord.join(threads)


if __name__ == "__main__":
    main()
