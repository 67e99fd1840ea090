import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

from model import Gan


def batches(images, size, rng):
    order = rng.permutation(len(images))
    for start in range(0, len(order) - size, size):
        yield images[order[start : start + size]]


def train(path, epochs=50, batch_size=64):
    images = np.load(path)["x_train"].reshape(-1, 784) / 255.0
    rng = np.random.RandomState(0)
    gan = Gan(batch_size)
    saver = tf.train.Saver()
    writer = tf.summary.FileWriter("logs")
    for epoch in range(epochs):
        for x in batches(images, batch_size, rng):
            z = rng.normal(size=(batch_size, gan.z_dim))
            gan.sess.run(gan.d_step, {gan.x: x, gan.z: z})
            gan.clip_weights(0.01)
            gan.sess.run(gan.g_step, {gan.z: z})
        preview = gan.sample(16)
        np.save(os.path.join("out", "%03d.npy" % epoch), preview)
        writer.add_summary(gan.sess.run(tf.summary.histogram("preview", preview)), epoch)  # finding: graph-growth
        saver.save(gan.sess, "ckpt/model", global_step=epoch)


if __name__ == "__main__":
    train(sys.argv[1])
