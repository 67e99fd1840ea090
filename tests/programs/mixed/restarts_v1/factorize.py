"""Matrix factorization with restarts, on TensorFlow 2 as if it were 1."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf1

tf1.disable_v2_behavior()

RANK = 16
RESTARTS = 40
STEPS = 500


class Problem:
    def __init__(self, ratings):
        users, items = ratings.shape
        self.ratings = tf1.constant(ratings, tf1.float32)
        self.u = tf1.get_variable("u", [users, RANK], initializer=tf1.random_normal_initializer())
        self.v = tf1.get_variable("v", [items, RANK], initializer=tf1.random_normal_initializer())
        self.rate = tf1.get_variable("rate", [], initializer=tf1.constant_initializer(0.1), trainable=False)
        self.new_rate = tf1.placeholder(tf1.float32, [])
        self.set_rate = tf1.assign(self.rate, self.new_rate)
        error = self.ratings - tf1.matmul(self.u, self.v, transpose_b=True)
        self.loss = tf1.reduce_mean(tf1.square(error))
        self.step = tf1.train.GradientDescentOptimizer(self.rate).minimize(self.loss)


def solve(problem, sess):
    best = None
    for restart in range(RESTARTS):
        sess.run(tf1.global_variables_initializer())  # finding: graph-growth
        for step in range(STEPS):
            _, loss = sess.run([problem.step, problem.loss])
            if step % 50 == 49:
                sess.run(problem.rate.assign(problem.rate * 0.5))  # finding: graph-growth
        if best is None or loss < best[0]:
            best = loss, sess.run([problem.u, problem.v])
    return best


def anneal(problem, sess):
    rate, init = 0.1, tf1.global_variables_initializer()
    for restart in range(RESTARTS):
        sess.run(init)
        for step in range(STEPS):
            sess.run(problem.step)
            if step % 50 == 49:
                rate *= 0.5
                sess.run(problem.set_rate, {problem.new_rate: rate})
    return sess.run(problem.loss)


def check(best, sess):
    _, (u, v) = best
    rebuilt = tf1.matmul(u, v, transpose_b=True)
    return sess.run(tf1.reduce_max(rebuilt))


def cross_validate(ratings, folds=5):
    losses = []
    for part in np.array_split(np.random.permutation(len(ratings)), folds):
        with tf1.Graph().as_default(), tf1.Session() as sess:
            problem = Problem(np.delete(ratings, part, axis=0))
            sess.run(tf1.global_variables_initializer())
            for _ in range(STEPS):
                sess.run(problem.step)
            losses.append(sess.run(problem.loss))
    return losses


def main(path):
    ratings = np.load(path)
    print(cross_validate(ratings))
    problem = Problem(ratings)
    with tf1.Session() as sess:
        best = solve(problem, sess)
        print(best[0], check(best, sess), anneal(problem, sess))


if __name__ == "__main__":
    main(sys.argv[1])
