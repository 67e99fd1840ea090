# requires: tensorflow==1.15.*, tensorflow-probability==0.8.*
"""Thompson sampling for articles; posteriors are distributions of tfp, run in a session."""
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions


class Bandit:
    def __init__(self, sess, arms, dim, noise=0.5):
        self.sess, self.arms, self.noise = sess, arms, noise
        self.precision = [tf.get_variable("p%d" % a, initializer=tf.eye(dim)) for a in range(arms)]
        self.moment = [tf.get_variable("m%d" % a, [dim, 1], initializer=tf.zeros_initializer())
                       for a in range(arms)]
        self.x = tf.placeholder(tf.float32, [dim, 1])
        self.reward = tf.placeholder(tf.float32, [])
        self.updates = [
            tf.group(p.assign_add(tf.matmul(self.x, self.x, transpose_b=True) / noise ** 2),
                     m.assign_add(self.x * self.reward / noise ** 2))
            for p, m in zip(self.precision, self.moment)]
        self.posteriors = []
        for p, m in zip(self.precision, self.moment):
            covariance = tf.linalg.inv(p)
            self.posteriors.append(tfd.MultivariateNormalFullCovariance(
                tf.squeeze(tf.matmul(covariance, m), 1), covariance))

    def draw(self, arm):
        return self.sess.run(self.posteriors[arm].sample())  # finding: graph-growth

    def choose(self, x):
        values = [float(np.dot(self.draw(arm), x)) for arm in range(self.arms)]
        return int(np.argmax(values))

    def learn(self, arm, x, reward):
        self.sess.run(self.updates[arm], {self.x: x[:, None], self.reward: reward})


def clicks(path):
    table = np.load(path)
    for x, best, rewards in zip(table["x"], table["best"], table["rewards"]):
        yield x.astype(np.float32), best, rewards


def main(path="articles.npz"):
    regret, curve = 0.0, []
    with tf.Session() as sess:
        bandit = Bandit(sess, 10, 16)
        sess.run(tf.global_variables_initializer())
        for x, best, rewards in clicks(path):
            arm = bandit.choose(x)
            bandit.learn(arm, x, rewards[arm])
            regret += rewards[best] - rewards[arm]
            curve.append(regret)
    np.save("regret.npy", curve)


if __name__ == "__main__":
    main()
