# requires: tensorflow==1.15.*
"""WGAN-GP on face crops, with FID against the training set every thousand steps."""
import os

import numpy as np
import tensorflow as tf
from scipy import linalg

flags = tf.app.flags
flags.DEFINE_string("data", "faces.npy", "uint8 array of N x 64 x 64 x 3")
flags.DEFINE_integer("steps", 100000, "")
flags.DEFINE_integer("batch", 64, "")
flags.DEFINE_string("out", "runs/wgan", "")
FLAGS = flags.FLAGS
Z = 128


def generator(z, reuse=None):
    with tf.variable_scope("gen", reuse=reuse):
        h = tf.reshape(tf.layers.dense(z, 4 * 4 * 512), [-1, 4, 4, 512])
        for width in (256, 128, 64):
            h = tf.nn.relu(tf.layers.conv2d_transpose(h, width, 5, 2, "same"))
        return tf.tanh(tf.layers.conv2d_transpose(h, 3, 5, 2, "same"))


def critic(x, reuse=None):
    with tf.variable_scope("critic", reuse=reuse):
        h = x
        for width in (64, 128, 256, 512):
            h = tf.nn.leaky_relu(tf.layers.conv2d(h, width, 5, 2, "same"))
        return tf.layers.dense(tf.layers.flatten(h), 1)


def activations(sess, feature_op, placeholder, images):
    rows = []
    for i in range(0, len(images), 100):
        rows.append(sess.run(feature_op, {placeholder: images[i:i + 100]}))
    return np.concatenate(rows)


def statistics(acts):
    return acts.mean(axis=0), np.cov(acts, rowvar=False)


def fid(mu1, s1, mu2, s2):
    mean, _ = linalg.sqrtm(s1.dot(s2), disp=False)
    return np.sum((mu1 - mu2) ** 2) + np.trace(s1 + s2 - 2 * mean.real)


def load_inception(path="inception.pb"):
    with tf.gfile.GFile(path, "rb") as f:
        graph = tf.GraphDef()
        graph.ParseFromString(f.read())
    image, pool = tf.import_graph_def(graph, return_elements=["image:0", "pool_3:0"], name="inception")
    return image, tf.squeeze(pool, [1, 2])


def main(_):
    faces = np.load(FLAGS.data)
    real = tf.placeholder(tf.float32, [None, 64, 64, 3])
    z = tf.random_normal([FLAGS.batch, Z])
    fake = generator(z)
    d_real, d_fake = critic(real), critic(fake, reuse=True)
    eps = tf.random_uniform([FLAGS.batch, 1, 1, 1])
    mixed = eps * real + (1 - eps) * fake
    slope = tf.sqrt(tf.reduce_sum(tf.square(tf.gradients(critic(mixed, reuse=True), mixed)[0]), [1, 2, 3]))
    d_loss = tf.reduce_mean(d_fake) - tf.reduce_mean(d_real) + 10 * tf.reduce_mean((slope - 1) ** 2)
    g_loss = -tf.reduce_mean(d_fake)
    d_op = tf.train.AdamOptimizer(1e-4, 0.5, 0.9).minimize(d_loss, var_list=tf.trainable_variables("critic"))
    g_op = tf.train.AdamOptimizer(1e-4, 0.5, 0.9).minimize(g_loss, var_list=tf.trainable_variables("gen"))
    image_in, feature = load_inception()
    saver = tf.train.Saver()

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(FLAGS.steps):
            for _ in range(5):
                rows = np.random.randint(0, len(faces), FLAGS.batch)
                sess.run(d_op, {real: faces[rows] / 127.5 - 1.0})
            sess.run(g_op)
            if step % 1000 == 0:
                sample = np.concatenate([sess.run(fake) for _ in range(80)])
                mu_f, s_f = statistics(activations(sess, feature, image_in, (sample + 1) * 127.5))
                mu_r, s_r = statistics(activations(sess, feature, image_in, faces[:5000].astype(np.float32)))  # note: loop-invariant-op
                print(step, fid(mu_r, s_r, mu_f, s_f))
                saver.save(sess, os.path.join(FLAGS.out, "model"), step)


if __name__ == "__main__":
    tf.app.run()
