# requires: tensorflow==1.14.*
"""Thompson sampling with a neural network's last layer; posterior in TensorFlow."""
import argparse

import numpy as np
import tensorflow as tf


class NeuralLinear(object):
    def __init__(self, context, arms, hidden=50, lr=0.01):
        self.arms = arms
        self.hidden = hidden
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, context])
            self.y = tf.placeholder(tf.float32, [None, arms])
            self.weights = tf.placeholder(tf.float32, [None, arms])
            net = tf.layers.dense(self.x, 100, tf.nn.relu)
            self.features = tf.layers.dense(net, hidden, tf.nn.relu)
            predicted = tf.layers.dense(self.features, arms)
            self.loss = tf.reduce_sum(self.weights * tf.square(self.y - predicted))
            self.train_op = tf.train.RMSPropOptimizer(lr).minimize(self.loss)
            init = tf.global_variables_initializer()
        self.sess = tf.Session(graph=self.graph)
        self.sess.run(init)
        self.precision = [np.eye(hidden) for _ in range(arms)]
        self.mean = [np.zeros(hidden) for _ in range(arms)]
        self.f = [np.zeros(hidden) for _ in range(arms)]

    def encode(self, contexts):
        return self.sess.run(self.features, {self.x: contexts})

    def choose(self, context):
        z = self.encode(context[None])[0]
        with self.graph.as_default():
            draws = []
            for arm in range(self.arms):
                precision = tf.constant(self.precision[arm], tf.float32)  # finding: graph-growth
                noise = tf.random_normal([self.hidden, 1])  # finding: graph-growth
                scale = tf.matrix_inverse(tf.cholesky(precision))  # finding: graph-growth
                draws.append(self.mean[arm] + tf.squeeze(tf.matmul(scale, noise, transpose_a=True)))  # finding: graph-growth
            sampled = self.sess.run(tf.stack(draws))  # finding: graph-growth
        return int(np.argmax(sampled.dot(z)))

    def update(self, context, arm, reward):
        z = self.encode(context[None])[0]
        self.precision[arm] += np.outer(z, z)
        self.f[arm] += reward * z
        self.mean[arm] = np.linalg.solve(self.precision[arm], self.f[arm])

    def fit(self, contexts, rewards, weights, steps=100, size=512):
        for _ in range(steps):
            take = np.random.randint(0, len(contexts), size)
            feed = {self.x: contexts[take], self.y: rewards[take], self.weights: weights[take]}
            self.sess.run(self.train_op, feed)


def play(data, arms, rounds, every=50):
    bandit = NeuralLinear(data.shape[1] - arms, arms)
    contexts, rewards, weights, total = [], [], [], 0.0
    for t in range(rounds):
        row = data[np.random.randint(len(data))]
        context, payoff = row[:-arms], row[-arms:]
        arm = bandit.choose(context)
        reward = payoff[arm]
        bandit.update(context, arm, reward)
        contexts.append(context)
        rewards.append(payoff * (np.arange(arms) == arm))
        weights.append((np.arange(arms) == arm).astype(np.float32))
        total += reward
        if t % every == every - 1:
            bandit.fit(np.array(contexts), np.array(rewards), np.array(weights))
            print("%d: %.3f" % (t + 1, total / (t + 1)))
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("--arms", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=20000)
    args = parser.parse_args()
    print(play(np.load(args.table).astype(np.float32), args.arms, args.rounds))
