# requires: tensorflow==1.15
"""Actor and critic with soft targets, distributed by sockets; TensorFlow 1."""
import pickle
import socket

import numpy as np
import tensorflow as tf


def mlp(x, sizes, scope):
    with tf.variable_scope(scope):
        for n, size in enumerate(sizes[:-1]):
            x = tf.layers.dense(x, size, activation=tf.nn.relu, name="h%d" % n)
        return tf.layers.dense(x, sizes[-1], name="out")


class Learner(object):
    def __init__(self, obs_dim, act_dim):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.obs = tf.placeholder(tf.float32, [None, obs_dim])
            self.adv = tf.placeholder(tf.float32, [None])
            self.act = tf.placeholder(tf.int32, [None])
            self.logits = mlp(self.obs, [64, 64, act_dim], "actor")
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.act, logits=self.logits)
            self.train = tf.train.AdamOptimizer(1e-4).minimize(tf.reduce_mean(loss * self.adv))
            self.vars = tf.trainable_variables()
            self.saver = tf.train.Saver()
            self.sess = tf.Session(graph=self.graph)
            self.sess.run(tf.global_variables_initializer())

    def restore(self, path):
        self.saver.restore(self.sess, path)

    def pull(self, sock):
        """Takes the newest weights of the parameter server."""
        sock.sendall(b"pull")
        size = int.from_bytes(sock.recv(8), "big")
        blob = b""
        while len(blob) < size:
            blob += sock.recv(65536)
        for var, value in zip(self.vars, pickle.loads(blob)):
            var.load(value, self.sess)  # finding: load-per-variable

    def push(self, sock):
        values = self.sess.run(self.vars)
        blob = pickle.dumps(values)
        sock.sendall(b"push" + len(blob).to_bytes(8, "big") + blob)

    def warm_start(self, values):
        """Once, from a model trained by imitation."""
        for var, value in zip(self.vars, values):
            var.load(value, self.sess)

    def policy(self, observation):
        logits = self.sess.run(self.logits, {self.obs: observation[None]})[0]
        logits = logits - logits.max()
        p = np.exp(logits) / np.exp(logits).sum()
        return np.random.choice(len(p), p=p)

    def learn(self, batch):
        obs, act, ret = batch
        self.sess.run(self.train, {self.obs: obs, self.act: act, self.adv: ret - ret.mean()})


def rollout(env, learner, length):
    obs, acts, rewards = [], [], []
    state = env.reset()
    for _ in range(length):
        action = learner.policy(state)
        obs.append(state)
        acts.append(action)
        state, reward, done, _ = env.step(action)
        rewards.append(reward)
        if done:
            state = env.reset()
    returns = np.zeros(len(rewards), np.float32)
    future = 0.0
    for t in range(len(rewards) - 1, -1, -1):
        future = rewards[t] + 0.99 * future
        returns[t] = future
    return np.array(obs), np.array(acts), returns


def main(address=("10.0.0.1", 7000)):
    import gym

    env = gym.make("LunarLander-v2")
    learner = Learner(8, 4)
    learner.warm_start(np.load("imitation.npy", allow_pickle=True))
    sock = socket.create_connection(address)
    for update in range(100000):
        learner.pull(sock)
        learner.learn(rollout(env, learner, 256))
        learner.push(sock)
        if update % 1000 == 0:
            learner.saver.save(learner.sess, "checkpoints/learner", global_step=update)


if __name__ == "__main__":
    main()
