import collections
import pickle

import numpy as np
import tensorflow as tf


class Policy:
    def __init__(self, sess):
        self.sess = sess
        self.w = tf.get_variable("w", [8, 4])
        self.b = tf.get_variable("b", [4])
        self.placeholders = [tf.placeholder(tf.float32, v.shape) for v in (self.w, self.b)]
        self.assigns = [v.assign(p) for v, p in zip((self.w, self.b), self.placeholders)]

    @property
    def variables(self):
        return [self.w, self.b]

    def set(self, values):
        for variable, value in zip(self.variables, values):
            variable.load(value, self.sess)  # finding: load-per-variable

    def set_at_once(self, values):
        self.sess.run(self.assigns, dict(zip(self.placeholders, values)))


def evolve(policy, fitness, generations, population=50, sigma=0.1):
    mean = [np.zeros((8, 4)), np.zeros(4)]
    for generation in range(generations):
        scores, noises = [], []
        for _ in range(population):
            noise = [np.random.randn(*m.shape) for m in mean]
            policy.set([m + sigma * n for m, n in zip(mean, noise)])
            scores.append(fitness(policy))
            noises.append(noise)
        ranks = (np.argsort(np.argsort(scores)) - population / 2) / population
        mean = [m + sum(r * n[k] for r, n in zip(ranks, noises)) for k, m in enumerate(mean)]
    return mean


def evolve_at_once(policy, fitness, generations):
    mean = [np.zeros((8, 4)), np.zeros(4)]
    for _ in range(generations):
        trial = [m + np.random.randn(*m.shape) for m in mean]
        policy.set_at_once(trial)
        if fitness(policy) > 0:
            mean = trial
    return mean


def assign_all(sess, values):
    for variable in tf.trainable_variables():
        variable.load(values[variable.name], sess)  # finding: load-per-variable


def federated(sess, clients, step, feeds, rounds):
    values = {v.name: sess.run(v) for v in tf.trainable_variables()}
    for _ in range(rounds):
        updates = collections.defaultdict(list)
        for client in clients:
            assign_all(sess, values)
            sess.run(step, feeds(client))
            for v in tf.trainable_variables():
                updates[v.name].append(sess.run(v))
        values = {name: np.mean(rows, 0) for name, rows in updates.items()}
    return values


def restore(sess, path):
    with open(path, "rb") as handle:
        values = pickle.load(handle)
    for v in tf.trainable_variables():
        v.load(values[v.name], sess)
