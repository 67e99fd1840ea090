import os
import time

import numpy as np
import tensorflow as tf
from ops import linear, lrelu, merge


class BEGAN(object):
    model_name = "BEGAN"

    def __init__(self, sess, data, config):
        self.sess = sess
        self.data = data
        self.epoch = config.epoch
        self.batch_size = config.batch_size
        self.checkpoint_dir = config.checkpoint_dir
        self.result_dir = config.result_dir
        self.z_dim = 62
        self.gamma = 0.75
        self.learning_rate = config.learning_rate
        self.build_model()

    def discriminator(self, x, reuse=False):
        with tf.variable_scope("discriminator", reuse=reuse):
            net = tf.nn.relu(linear(tf.reshape(x, [self.batch_size, 784]), 256, "d_fc1"))
            code = linear(net, 32, "d_fc2")
            out = tf.nn.sigmoid(linear(tf.nn.relu(code), 784, "d_fc3"))
            return tf.reduce_mean(tf.abs(out - tf.reshape(x, [self.batch_size, 784])))

    def generator(self, z, reuse=False):
        with tf.variable_scope("generator", reuse=reuse):
            net = lrelu(linear(z, 256, "g_fc1"))
            return tf.reshape(tf.nn.sigmoid(linear(net, 784, "g_fc2")), [self.batch_size, 28, 28, 1])

    def build_model(self):
        self.inputs = tf.placeholder(tf.float32, [self.batch_size, 28, 28, 1], name="real_images")
        self.z = tf.placeholder(tf.float32, [self.batch_size, self.z_dim], name="z")
        self.k = tf.Variable(0.0, trainable=False)
        self.lr = tf.Variable(self.learning_rate, trainable=False)
        d_real = self.discriminator(self.inputs)
        fake = self.generator(self.z)
        d_fake = self.discriminator(fake, reuse=True)
        self.d_loss = d_real - self.k * d_fake
        self.g_loss = d_fake
        self.M = d_real + tf.abs(self.gamma * d_real - d_fake)
        self.update_k = self.k.assign(tf.clip_by_value(self.k + 0.001 * (self.gamma * d_real - d_fake), 0, 1))
        variables = tf.trainable_variables()
        d_vars = [v for v in variables if "d_" in v.name]
        g_vars = [v for v in variables if "g_" in v.name]
        self.d_optim = tf.train.AdamOptimizer(self.lr).minimize(self.d_loss, var_list=d_vars)
        self.g_optim = tf.train.AdamOptimizer(self.lr).minimize(self.g_loss, var_list=g_vars)
        self.fake_images = self.generator(self.z, reuse=True)
        tf.summary.scalar("M", self.M)
        self.summary = tf.summary.merge_all()
        self.new_lr = tf.placeholder(tf.float32, [])
        self.set_lr = self.lr.assign(self.new_lr)

    def train(self):
        self.sess.run(tf.global_variables_initializer())
        self.saver = tf.train.Saver()
        self.writer = tf.summary.FileWriter(self.checkpoint_dir + "/logs", self.sess.graph)
        counter = 1
        start = time.time()
        for epoch in range(self.epoch):
            if epoch and epoch % 10 == 0:
                self.sess.run(tf.assign(self.lr, self.learning_rate * 0.95 ** (epoch // 10)))  # finding: graph-growth
            for idx in range(len(self.data) // self.batch_size):
                images = self.data[idx * self.batch_size : (idx + 1) * self.batch_size]
                z = np.random.uniform(-1, 1, [self.batch_size, self.z_dim]).astype(np.float32)
                feed = {self.inputs: images, self.z: z}
                self.sess.run(self.d_optim, feed_dict=feed)
                self.sess.run(self.g_optim, feed_dict={self.z: z})
                _, summary, m = self.sess.run([self.update_k, self.summary, self.M], feed_dict=feed)
                self.writer.add_summary(summary, counter)
                counter += 1
                if counter % 50 == 0:
                    print("Epoch: [%2d] [%4d] time: %4.4f, M: %.8f" % (epoch, idx, time.time() - start, m))
                if counter % 300 == 0:
                    self.visualize_results(epoch)
            self.saver.save(self.sess, os.path.join(self.checkpoint_dir, self.model_name), global_step=counter)

    def visualize_results(self, epoch):
        z = np.random.uniform(-1, 1, size=(self.batch_size, self.z_dim))
        samples = self.sess.run(self.fake_images, feed_dict={self.z: z})
        grid = merge(tf.convert_to_tensor(samples), 8)  # finding: graph-growth
        np.save(os.path.join(self.result_dir, "epoch%03d.npy" % epoch), self.sess.run(grid))

    def anneal(self, rates):
        """Tries several learning rates, from the last checkpoint each time."""
        for rate in rates:
            self.saver.restore(self.sess, tf.train.latest_checkpoint(self.checkpoint_dir))
            self.sess.run(self.set_lr, feed_dict={self.new_lr: rate})
            m = self.sess.run(self.M, {self.inputs: self.data[: self.batch_size], self.z: np.zeros([self.batch_size, self.z_dim])})
            value = tf.Summary(value=[tf.Summary.Value(tag="anneal", simple_value=float(m))])
            self.writer.add_summary(value)
