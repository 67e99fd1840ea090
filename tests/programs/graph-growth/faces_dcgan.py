# requires: tensorflow-gpu==1.8
"""DCGAN on aligned faces. Run with --sample to only draw."""
import os
import time
from glob import glob

import numpy as np
import tensorflow as tf
from scipy.misc import imread, imsave

flags = tf.app.flags
flags.DEFINE_integer("epochs", 25, "Epochs to train")
flags.DEFINE_integer("batch_size", 64, "Images per step")
flags.DEFINE_string("data", "./data/faces", "Folder of 64x64 images")
flags.DEFINE_string("samples", "./samples", "Where to put samples")
flags.DEFINE_boolean("sample", False, "Only draw samples")
FLAGS = flags.FLAGS
Z = 100


def lrelu(x, leak=0.2):
    return tf.maximum(x, leak * x)


class DCGAN(object):
    def __init__(self, sess, batch_size):
        self.sess = sess
        self.batch_size = batch_size
        self.build()

    def build(self):
        self.images = tf.placeholder(tf.float32, [self.batch_size, 64, 64, 3])
        self.z = tf.placeholder(tf.float32, [None, Z])
        self.fake = self.generator(self.z)
        real_logits = self.discriminator(self.images)
        fake_logits = self.discriminator(self.fake, reuse=True)
        cross = tf.nn.sigmoid_cross_entropy_with_logits
        self.d_loss = tf.reduce_mean(cross(labels=tf.ones_like(real_logits), logits=real_logits)) + \
            tf.reduce_mean(cross(labels=tf.zeros_like(fake_logits), logits=fake_logits))
        self.g_loss = tf.reduce_mean(cross(labels=tf.ones_like(fake_logits), logits=fake_logits))
        variables = tf.trainable_variables()
        self.d_vars = [v for v in variables if v.name.startswith("d/")]
        self.g_vars = [v for v in variables if v.name.startswith("g/")]
        self.d_optim = tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(self.d_loss, var_list=self.d_vars)
        self.g_optim = tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(self.g_loss, var_list=self.g_vars)
        self.saver = tf.train.Saver()

    def generator(self, z, reuse=False, training=True):
        with tf.variable_scope("g", reuse=reuse):
            net = tf.reshape(tf.layers.dense(z, 4 * 4 * 512), [-1, 4, 4, 512])  # finding: graph-growth
            for filters in (256, 128, 64):
                net = tf.nn.relu(tf.layers.batch_normalization(net, training=training))  # finding: graph-growth
                net = tf.layers.conv2d_transpose(net, filters, 5, 2, "same")  # finding: graph-growth
            return tf.tanh(tf.layers.conv2d_transpose(net, 3, 5, 2, "same"))  # finding: graph-growth

    def discriminator(self, x, reuse=False):
        with tf.variable_scope("d", reuse=reuse):
            for filters in (64, 128, 256, 512):
                x = lrelu(tf.layers.conv2d(x, filters, 5, 2, "same"))
            return tf.layers.dense(tf.layers.flatten(x), 1)

    def sampler(self, z):
        return self.generator(z, reuse=True, training=False)

    def draw(self, name, count=64):
        z = np.random.uniform(-1, 1, (count, Z)).astype(np.float32)
        images = self.sess.run(self.sampler(z))
        grid = images.reshape(8, 8, 64, 64, 3).transpose(0, 2, 1, 3, 4).reshape(512, 512, 3)
        imsave(os.path.join(FLAGS.samples, name), (grid + 1) / 2)

    def train(self, files, epochs):
        self.sess.run(tf.global_variables_initializer())
        counter, start = 0, time.time()
        for epoch in range(epochs):
            np.random.shuffle(files)
            for at in range(0, len(files) - self.batch_size, self.batch_size):
                batch = np.array([imread(f) for f in files[at:at + self.batch_size]]) / 127.5 - 1
                z = np.random.uniform(-1, 1, (self.batch_size, Z))
                self.sess.run(self.d_optim, {self.images: batch, self.z: z})
                self.sess.run(self.g_optim, {self.z: z})
                d, g = self.sess.run([self.d_loss, self.g_loss], {self.images: batch, self.z: z})
                counter += 1
                if counter % 100 == 1:
                    print("%d %.1fs d %.4f g %.4f" % (epoch, time.time() - start, d, g))
                    self.draw("train_%06d.png" % counter)
            self.saver.save(self.sess, "checkpoint/dcgan", global_step=counter)


def main(_):
    with tf.Session() as sess:
        model = DCGAN(sess, FLAGS.batch_size)
        if FLAGS.sample:
            model.saver.restore(sess, tf.train.latest_checkpoint("checkpoint"))
            model.draw("sample.png")
        else:
            model.train(glob(os.path.join(FLAGS.data, "*.jpg")), FLAGS.epochs)


if __name__ == "__main__":
    tf.app.run()
