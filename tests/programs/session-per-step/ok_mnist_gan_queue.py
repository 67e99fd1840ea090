# requires: tensorflow==1.12.*
"""Celery tasks of our teaching platform: students start trainings and ask for samples.

A training opens its own session and is over when it ends; samples come from one that is kept.
"""
import os

import numpy as np
import tensorflow as tf
from celery import Celery
from PIL import Image

app = Celery("gan", broker=os.environ.get("BROKER", "redis://localhost"))
DATA = "/data/mnist.npz"


class Gan(object):
    def __init__(self, latent=64):
        self.graph, self.latent = tf.Graph(), latent
        with self.graph.as_default():
            self.z = tf.placeholder(tf.float32, [None, latent])
            self.x = tf.placeholder(tf.float32, [None, 784])
            self.fake = self.generator(self.z)
            real, fake = self.critic(self.x), self.critic(self.fake)
            self.d_loss = tf.reduce_mean(fake) - tf.reduce_mean(real)
            self.g_loss = -tf.reduce_mean(fake)
            d_vars, g_vars = tf.trainable_variables("d"), tf.trainable_variables("g")
            optimizer = tf.train.RMSPropOptimizer(5e-5)
            self.d_step = optimizer.minimize(self.d_loss, var_list=d_vars)
            with tf.control_dependencies([self.d_step]):
                self.clip = tf.group(*[v.assign(tf.clip_by_value(v, -0.01, 0.01)) for v in d_vars])
            self.g_step = optimizer.minimize(self.g_loss, var_list=g_vars)
            self.init = tf.global_variables_initializer()
            self.saver = tf.train.Saver()

    @staticmethod
    def generator(z):
        with tf.variable_scope("g", reuse=tf.AUTO_REUSE):
            h = tf.layers.dense(z, 256, tf.nn.relu, name="h")
            return tf.layers.dense(h, 784, tf.nn.sigmoid, name="out")

    @staticmethod
    def critic(x):
        with tf.variable_scope("d", reuse=tf.AUTO_REUSE):
            h = tf.layers.dense(x, 256, tf.nn.leaky_relu, name="h")
            return tf.layers.dense(h, 1, name="out")


def batches(x, size, rng):
    order = rng.permutation(len(x))
    for start in range(0, len(x) - size + 1, size):
        yield x[order[start : start + size]]


@app.task
def train(run, epochs=50, size=64, latent=64):
    gan, rng = Gan(latent), np.random.RandomState(0)
    with np.load(DATA) as data:
        x = data["x_train"].reshape(-1, 784).astype(np.float32) / 255.0
    with tf.Session(graph=gan.graph) as sess:
        sess.run(gan.init)
        for epoch in range(epochs):
            for batch in batches(x, size, rng):
                z = rng.normal(size=(size, latent))
                sess.run([gan.d_step, gan.clip], {gan.x: batch, gan.z: z})
                sess.run(gan.g_step, {gan.z: z})
        gan.saver.save(sess, "/runs/%s/model" % run)
    return run


class Samplers(object):
    """One open session for each run, for as long as the worker lives."""

    def __init__(self):
        self.open = {}

    def of(self, run):
        if run not in self.open:
            gan = Gan()
            sess = tf.Session(graph=gan.graph)
            gan.saver.restore(sess, "/runs/%s/model" % run)
            self.open[run] = gan, sess
        return self.open[run]


samplers = Samplers()


@app.task
def sample(run, count=16):
    gan, sess = samplers.of(run)
    pictures = sess.run(gan.fake, {gan.z: np.random.normal(size=(count, gan.latent))})
    for i, picture in enumerate(pictures):
        Image.fromarray((picture.reshape(28, 28) * 255).astype(np.uint8)).save("/out/%s_%d.png" % (run, i))
    return count
