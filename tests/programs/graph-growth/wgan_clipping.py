# requires: tensorflow==1.6.*
"""Wasserstein GAN on spectra, as in the paper's listing."""
import os
import sys

import numpy as np
import tensorflow as tf

LATENT, CRITIC_STEPS, CLIP = 64, 5, 0.01


def lrelu(x):
    return tf.maximum(x, 0.2 * x)


def generator(z, dim):
    with tf.variable_scope("generator"):
        h = tf.layers.dense(z, 256, tf.nn.relu)
        h = tf.layers.dense(h, 512, tf.nn.relu)
        return tf.layers.dense(h, dim, tf.tanh)


def critic(x, reuse=False):
    with tf.variable_scope("critic", reuse=reuse):
        h = tf.layers.dense(x, 512, lrelu)
        h = tf.layers.dense(h, 256, lrelu)
        return tf.layers.dense(h, 1)


def sample_batch(data, size):
    return data[np.random.randint(0, len(data), size)]


class WGAN(object):
    def __init__(self, sess, data, batch_size=64, lr=5e-5):
        self.sess, self.data, self.batch_size = sess, data, batch_size
        dim = data.shape[1]
        self.z = tf.placeholder(tf.float32, [None, LATENT])
        self.x = tf.placeholder(tf.float32, [None, dim])
        self.fake = generator(self.z, dim)
        self.d_loss = tf.reduce_mean(critic(self.fake)) - tf.reduce_mean(critic(self.x, True))
        self.g_loss = -tf.reduce_mean(critic(self.fake, True))
        self.d_vars = [v for v in tf.trainable_variables() if v.name.startswith("critic")]
        g_vars = [v for v in tf.trainable_variables() if v.name.startswith("generator")]
        self.d_step = tf.train.RMSPropOptimizer(lr).minimize(self.d_loss, var_list=self.d_vars)
        self.g_step = tf.train.RMSPropOptimizer(lr).minimize(self.g_loss, var_list=g_vars)

    def noise(self):
        return np.random.normal(size=[self.batch_size, LATENT])

    def train_critic(self):
        feed = {self.z: self.noise(), self.x: sample_batch(self.data, self.batch_size)}
        loss, _ = self.sess.run([self.d_loss, self.d_step], feed)
        clip = [v.assign(tf.clip_by_value(v, -CLIP, CLIP)) for v in self.d_vars]  # finding: graph-growth
        self.sess.run(clip)
        return loss

    def train(self, steps):
        self.sess.run(tf.global_variables_initializer())
        for step in range(steps):
            for _ in range(100 if step < 25 else CRITIC_STEPS):
                d_loss = self.train_critic()
            g_loss, _ = self.sess.run([self.g_loss, self.g_step], {self.z: self.noise()})
            if step % 200 == 0:
                print(step, d_loss, g_loss)
                images = self.sess.run(self.fake, {self.z: self.noise()})
                np.save(os.path.join("samples", "%06d.npy" % step), images)


def main():
    data = np.load(sys.argv[1]).astype(np.float32)
    with tf.Session() as sess:
        WGAN(sess, data).train(40000)


if __name__ == "__main__":
    main()
