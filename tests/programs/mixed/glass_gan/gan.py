from __future__ import division, print_function

import tensorflow as tf

slim = tf.contrib.slim


def generator(z, reuse=None):
    with tf.variable_scope("generator", reuse=reuse):
        x = tf.reshape(slim.fully_connected(z, 4 * 4 * 256), [-1, 4, 4, 256])
        for depth in (128, 64, 32):
            x = slim.conv2d_transpose(x, depth, 5, 2, normalizer_fn=slim.batch_norm)
        return slim.conv2d_transpose(x, 3, 5, 1, activation_fn=tf.tanh)


def discriminator(x, reuse=None):
    with tf.variable_scope("discriminator", reuse=reuse):
        for depth in (32, 64, 128):
            x = slim.conv2d(x, depth, 5, 2, activation_fn=tf.nn.leaky_relu)
        return slim.fully_connected(slim.flatten(x), 1, activation_fn=None)


class GAN:
    def __init__(self, real, batch_size, width=100):
        self.batch_size = batch_size
        self.width = width
        self.z = tf.random_normal([batch_size, width])
        self.fake = generator(self.z)
        on_real, on_fake = discriminator(real), discriminator(self.fake, reuse=True)
        cross = tf.nn.sigmoid_cross_entropy_with_logits
        self.d_loss = tf.reduce_mean(
            cross(logits=on_real, labels=tf.ones_like(on_real) * 0.9)
            + cross(logits=on_fake, labels=tf.zeros_like(on_fake)))
        self.g_loss = tf.reduce_mean(cross(logits=on_fake, labels=tf.ones_like(on_fake)))
        self.d_step = self.minimize(self.d_loss, "discriminator")
        self.g_step = self.minimize(self.g_loss, "generator")

    @staticmethod
    def minimize(loss, scope):
        return tf.train.AdamOptimizer(2e-4, 0.5).minimize(loss, var_list=tf.trainable_variables(scope))

    def sample(self, sess, count):
        z = tf.random_normal([count, self.width])  # finding: graph-growth
        return sess.run(generator(z, reuse=True))  # finding: graph-growth

    def walk(self, sess, frames):
        ends = tf.random_normal([2, self.width])
        ratio = tf.reshape(tf.linspace(0.0, 1.0, frames), [-1, 1])
        return sess.run(generator(ends[:1] * (1 - ratio) + ends[1:] * ratio, reuse=True))
