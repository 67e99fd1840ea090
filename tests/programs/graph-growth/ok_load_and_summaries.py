# requires: tensorflow==1.9.*
"""Progressive autoencoder: writes summaries, loads weights through placeholders, decays the rate by feed."""
import os

import numpy as np
import tensorflow as tf


def encoder(x, widths):
    for i, w in enumerate(widths):
        x = tf.layers.dense(x, w, tf.nn.elu, name="enc%d" % i)
    return x


def decoder(z, widths, out):
    for i, w in enumerate(reversed(widths)):
        z = tf.layers.dense(z, w, tf.nn.elu, name="dec%d" % i)
    return tf.layers.dense(z, out, name="out")


class Loader(object):
    """Sets variables without making new nodes."""

    def __init__(self, variables):
        self.inputs = {v.op.name: tf.placeholder(v.dtype.base_dtype, v.shape) for v in variables}
        self.ops = {v.op.name: v.assign(self.inputs[v.op.name]) for v in variables}

    def load(self, sess, values):
        for name, value in values.items():
            if name in self.ops:
                sess.run(self.ops[name], {self.inputs[name]: value})


def scalar(writer, tag, value, step):
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=float(value))]), step)


def batches(x, size, rng):
    for i in range(0, len(x), size):
        yield x[rng.choice(len(x), size)]


def main():
    data = np.load("spectra.npy").astype(np.float32)
    n = data.shape[1]
    x = tf.placeholder(tf.float32, [None, n])
    rate = tf.placeholder(tf.float32, [])
    z = encoder(x, [256, 64, 16])
    y = decoder(z, [64, 256], n)
    loss = tf.reduce_mean(tf.square(x - y))
    optimizer = tf.train.AdamOptimizer(rate)
    train = optimizer.minimize(loss)
    loader = Loader(tf.trainable_variables())
    init = tf.global_variables_initializer()
    saver = tf.train.Saver(max_to_keep=2)
    rng = np.random.RandomState(0)
    with tf.Session() as sess:
        sess.run(init)
        if os.path.exists("warm.npz"):
            loader.load(sess, dict(np.load("warm.npz")))
        writer = tf.summary.FileWriter("logs/ae", tf.get_default_graph())
        step, lr = 0, 1e-3
        for epoch in range(100):
            for batch in batches(data, 128, rng):
                value, _ = sess.run([loss, train], {x: batch, rate: lr})
                if step % 20 == 0:
                    scalar(writer, "loss", value, step)
                step += 1
            lr *= 0.97
            if epoch % 10 == 9:
                saver.save(sess, "ckpt/ae", global_step=step)
            code = sess.run(z, {x: data[:1000]})
            scalar(writer, "code/std", code.std(), step)
            best = tf.train.latest_checkpoint("ckpt")
            print(epoch, value, best)


if __name__ == "__main__":
    main()
