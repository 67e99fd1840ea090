"""Custom training loops of the recommender."""
from functools import lru_cache

import tensorflow as tf


class TwoTower(tf.keras.Model):
    def __init__(self, users, items, dim):
        super().__init__()
        self.users = tf.keras.layers.Embedding(users, dim)
        self.items = tf.keras.layers.Embedding(items, dim)

    def call(self, pair):
        return tf.reduce_sum(self.users(pair[0]) * self.items(pair[1]), -1)


def make_step(model, optimizer):
    @tf.function
    def step(pair, rating):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(pair) - rating))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    return step


def fit(model, dataset, epochs):
    optimizer = tf.keras.optimizers.Adam(1e-3)
    step = make_step(model, optimizer)
    for epoch in range(epochs):
        for pair, rating in dataset:
            loss = step(pair, rating)
        tf.print("epoch", epoch, loss)


def fit_every_day(model, days, optimizer):
    for day in days:
        step = make_step(model, optimizer)
        for pair, rating in day:
            step(pair, rating)


def score_batch(model, pair):
    @tf.function  # finding: compiled-per-call
    def forward(p):
        return tf.sigmoid(model(p))

    return forward(pair)


def recall_at(model, dataset, threshold):
    hits = total = 0
    for pair, rating in dataset:
        scores = score_batch(model, pair)
        hits += int(tf.reduce_sum(tf.cast((scores > threshold) & (rating > 0), tf.int32)))
        total += int(tf.reduce_sum(tf.cast(rating > 0, tf.int32)))
    return hits / max(total, 1)


@lru_cache(maxsize=None)
def compiled_top_k(k):
    return tf.function(lambda scores: tf.math.top_k(scores, k))


def recommend(model, users, k=10):
    for user in users:
        scores = tf.linalg.matvec(model.items.embeddings, model.users(user))
        yield compiled_top_k(k)(scores)


class Evaluator:
    def __init__(self, model):
        self.model = model
        self._fn = None
        self.loss = tf.function(self._loss)

    def _loss(self, pair, rating):
        return tf.reduce_mean(tf.abs(self.model(pair) - rating))

    def lazily(self, pair):
        if self._fn is None:
            self._fn = tf.function(self.model.call)
        return self._fn(pair)

    def evaluate(self, dataset):
        metric = tf.keras.metrics.Mean()
        for pair, rating in dataset:
            compiled = tf.function(self._loss)  # finding: compiled-per-call
            metric.update_state(compiled(pair, rating))
        return metric.result()
