# requires: tensorflow==1.14.*
"""A3C: workers are threads that pull weights from the shared network."""
import multiprocessing
import threading

import gym
import numpy as np
import tensorflow as tf

GAMMA, STEPS = 0.99, 20


class Network(object):
    def __init__(self, scope, n_states, n_actions, optimizer=None):
        with tf.variable_scope(scope):
            self.state = tf.placeholder(tf.float32, [None, n_states])
            h = tf.layers.dense(self.state, 200, tf.nn.relu6)
            self.policy = tf.layers.dense(h, n_actions, tf.nn.softmax)
            self.value = tf.squeeze(tf.layers.dense(tf.layers.dense(self.state, 100, tf.nn.relu6), 1), 1)
        self.params = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope)
        if optimizer is not None:
            self.action = tf.placeholder(tf.int32, [None])
            self.target = tf.placeholder(tf.float32, [None])
            advantage = self.target - self.value
            picked = tf.reduce_sum(tf.one_hot(self.action, n_actions) * self.policy, 1)
            entropy = -tf.reduce_sum(self.policy * tf.log(self.policy + 1e-8), 1)
            gain = tf.log(picked + 1e-8) * tf.stop_gradient(advantage) + 0.01 * entropy
            self.loss = tf.reduce_mean(tf.square(advantage)) - tf.reduce_mean(gain)
            self.grads = tf.gradients(self.loss, self.params)


class Worker(object):
    def __init__(self, name, env, shared, optimizer, sess, coord):
        self.env = gym.make(env)
        self.shared, self.sess, self.coord = shared, sess, coord
        self.net = Network(name, self.env.observation_space.shape[0], self.env.action_space.n, optimizer)
        self.push = optimizer.apply_gradients(zip(self.net.grads, shared.params))

    def pull(self):
        self.sess.run([l.assign(g) for l, g in zip(self.net.params, self.shared.params)])  # finding: graph-growth

    def choose(self, state):
        p = self.sess.run(self.net.policy, {self.net.state: state[None]})[0]
        return np.random.choice(len(p), p=p)

    def work(self):
        state = self.env.reset()
        while not self.coord.should_stop():
            self.pull()
            states, actions, rewards, done = [], [], [], False
            for _ in range(STEPS):
                action = self.choose(state)
                states.append(state)
                actions.append(action)
                state, reward, done, _ = self.env.step(action)
                rewards.append(reward)
                if done:
                    break
            value = 0.0 if done else self.sess.run(self.net.value, {self.net.state: state[None]})[0]
            targets = []
            for reward in reversed(rewards):
                value = reward + GAMMA * value
                targets.append(value)
            self.sess.run(self.push, {self.net.state: states, self.net.action: actions,
                                      self.net.target: targets[::-1]})
            if done:
                state = self.env.reset()


def main(env="CartPole-v0"):
    probe = gym.make(env)
    sess, coord = tf.Session(), tf.train.Coordinator()
    optimizer = tf.train.RMSPropOptimizer(1e-3)
    shared = Network("shared", probe.observation_space.shape[0], probe.action_space.n)
    workers = [Worker("w%d" % i, env, shared, optimizer, sess, coord)
               for i in range(multiprocessing.cpu_count())]
    sess.run(tf.global_variables_initializer())
    threads = [threading.Thread(target=worker.work) for worker in workers]
    for thread in threads:
        thread.start()
    coord.join(threads)


if __name__ == "__main__":
    main()
