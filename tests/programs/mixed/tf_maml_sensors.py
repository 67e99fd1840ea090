"""First-order MAML for per-machine anomaly heads, custom loop, TF 2.21."""
import functools
import logging
import random

import keras
import numpy as np
import tensorflow as tf

logger = logging.getLogger(__name__)


def head():
    return keras.Sequential([
        keras.Input((64,)),
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dense(1),
    ])


class TaskPool:
    def __init__(self, npz, shots=32):
        self.z = np.load(npz)
        self.machines = sorted({k.split("/")[0] for k in self.z.files})
        self.shots = shots

    def draw(self):
        m = random.choice(self.machines)
        x, y = self.z[m + "/x"], self.z[m + "/y"]
        pick = np.random.choice(len(x), 2 * self.shots, replace=False)
        x, y = tf.constant(x[pick]), tf.constant(y[pick])
        return (x[: self.shots], y[: self.shots]), (x[self.shots :], y[self.shots :])


class Maml:
    def __init__(self, inner_lr=0.05, outer_lr=1e-3, inner_steps=5):
        self.net = head()
        self.fast = head()
        self.inner_lr = inner_lr
        self.inner_steps = inner_steps
        self.opt = keras.optimizers.Adam(outer_lr)
        self.opt.build(self.net.trainable_variables)
        self.bce = keras.losses.BinaryCrossentropy(from_logits=True)
        self._score = None

    def _inner(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.bce(y, self.fast(x))
        for v, g in zip(self.fast.trainable_variables, tape.gradient(loss, self.fast.trainable_variables)):
            v.assign_sub(self.inner_lr * g)
        return loss

    def adapt(self, support):
        for v, w in zip(self.fast.trainable_variables, self.net.trainable_variables):
            v.assign(w)
        inner = tf.function(lambda x, y: self._inner(x, y), reduce_retracing=True)  # finding: compiled-per-call
        for _ in range(self.inner_steps):
            inner(*support)

    @tf.function
    def query_grads(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.bce(y, self.fast(x))
        return loss, tape.gradient(loss, self.fast.trainable_variables)

    def meta_step(self, tasks):
        total, losses = None, []
        for support, query in tasks:
            self.adapt(support)
            loss, g = self.query_grads(*query)
            losses.append(loss)
            total = g if total is None else [a + b for a, b in zip(total, g)]
        self.opt.apply_gradients(zip([t / len(tasks) for t in total], self.net.trainable_variables))
        return float(tf.reduce_mean(losses))

    def score(self, x):
        if self._score is None:
            self._score = tf.function(self.net, reduce_retracing=True)
        return tf.sigmoid(self._score(x))


@functools.lru_cache(maxsize=None)
def clipper(limit):
    return tf.function(lambda x: tf.clip_by_value(x, -limit, limit))


class Reporter:
    def __init__(self, maml, every=200):
        self.maml, self.every = maml, every

    def on_step(self, step, loss, pool):
        if step % self.every:
            return
        (x, _), _ = pool.draw()

        @tf.function  # finding: compiled-per-call
        def spread(batch):
            p = self.maml.net(batch)
            return tf.math.reduce_std(p), tf.reduce_mean(p)

        s, m = spread(clipper(5.0)(x))
        logger.info("%d loss %.4f mean %.3f std %.3f", step, loss, float(m), float(s))


def run(npz="machines.npz", steps=30_000, meta_batch=8):
    pool = TaskPool(npz)
    maml = Maml()
    rep = Reporter(maml)
    for step in range(steps):
        loss = maml.meta_step([pool.draw() for _ in range(meta_batch)])
        rep.on_step(step, loss, pool)
    maml.net.save("maml.keras")
    return maml


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    run()
