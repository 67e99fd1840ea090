# requires: tensorflow-gpu==1.15.*
"""DCGAN on the sprites set; the Frechet distance is watched while it trains."""
import os

import numpy as np
import tensorflow as tf
from scipy.linalg import sqrtm

flags = tf.app.flags
flags.DEFINE_string("data", "sprites.npy", "")
flags.DEFINE_string("inception", "inception_v3.pb", "frozen graph")
flags.DEFINE_integer("epochs", 200, "")
flags.DEFINE_integer("batch", 64, "")
flags.DEFINE_integer("z_dim", 100, "")
FLAGS = flags.FLAGS


def generator(z, reuse=False):
    with tf.variable_scope("gen", reuse=reuse):
        h = tf.layers.dense(z, 4 * 4 * 256, activation=tf.nn.relu)
        h = tf.reshape(h, [-1, 4, 4, 256])
        for width in (128, 64, 32):
            h = tf.layers.conv2d_transpose(h, width, 5, 2, "same", activation=tf.nn.relu)
        return tf.layers.conv2d_transpose(h, 3, 5, 2, "same", activation=tf.nn.tanh)


def discriminator(x, reuse=False):
    with tf.variable_scope("dis", reuse=reuse):
        for width in (32, 64, 128):
            x = tf.layers.conv2d(x, width, 5, 2, "same", activation=tf.nn.leaky_relu)
        return tf.layers.dense(tf.layers.flatten(x), 1)


class InceptionScorer(object):
    def __init__(self, sess, pb_path):
        self.sess = sess
        with tf.gfile.GFile(pb_path, "rb") as f:
            graph_def = tf.GraphDef()
            graph_def.ParseFromString(f.read())
        tf.import_graph_def(graph_def, name="inc")
        g = sess.graph
        self.inp = g.get_tensor_by_name("inc/ExpandDims:0")
        self.pool = tf.squeeze(g.get_tensor_by_name("inc/pool_3:0"), [1, 2])

    def activations(self, images, batch=50):
        parts = []
        for i in range(0, len(images), batch):
            parts.append(self.sess.run(self.pool, {self.inp: images[i:i + batch]}))
        return np.concatenate(parts)

    def fid(self, real, fake):
        act_r = self.activations(real)  # note: loop-invariant-op
        act_f = self.activations(fake)
        mu_r, mu_f = act_r.mean(0), act_f.mean(0)
        cov_r = np.cov(act_r, rowvar=False)
        cov_f = np.cov(act_f, rowvar=False)
        root = sqrtm(cov_r.dot(cov_f)).real
        return np.sum((mu_r - mu_f) ** 2) + np.trace(cov_r + cov_f - 2 * root)


def main(_):
    data = np.load(FLAGS.data).astype(np.float32) / 127.5 - 1.0
    held_out = data[:5000]
    train = data[5000:]

    x = tf.placeholder(tf.float32, [None, 64, 64, 3])
    z = tf.placeholder(tf.float32, [None, FLAGS.z_dim])
    fake = generator(z)
    d_real = discriminator(x)
    d_fake = discriminator(fake, reuse=True)
    bce = tf.nn.sigmoid_cross_entropy_with_logits
    d_loss = tf.reduce_mean(bce(logits=d_real, labels=tf.ones_like(d_real)))
    d_loss += tf.reduce_mean(bce(logits=d_fake, labels=tf.zeros_like(d_fake)))
    g_loss = tf.reduce_mean(bce(logits=d_fake, labels=tf.ones_like(d_fake)))
    d_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "dis")
    g_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "gen")
    d_step = tf.train.AdamOptimizer(2e-4, 0.5).minimize(d_loss, var_list=d_vars)
    g_step = tf.train.AdamOptimizer(2e-4, 0.5).minimize(g_loss, var_list=g_vars)

    with tf.Session() as sess:
        scorer = InceptionScorer(sess, FLAGS.inception)
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Saver(max_to_keep=3)
        best = np.inf
        for epoch in range(FLAGS.epochs):
            np.random.shuffle(train)
            for i in range(0, len(train) - FLAGS.batch, FLAGS.batch):
                noise = np.random.uniform(-1, 1, [FLAGS.batch, FLAGS.z_dim])
                sess.run(d_step, {x: train[i:i + FLAGS.batch], z: noise})
                sess.run(g_step, {z: noise})
            samples = []
            for _ in range(100):
                noise = np.random.uniform(-1, 1, [50, FLAGS.z_dim])
                samples.append(sess.run(fake, {z: noise}))
            score = scorer.fid((held_out + 1) * 127.5, (np.concatenate(samples) + 1) * 127.5)
            print("epoch %d fid %.2f" % (epoch, score))
            if score < best:
                best = score
                saver.save(sess, os.path.join("ckpt", "best"))


if __name__ == "__main__":
    tf.app.run()
