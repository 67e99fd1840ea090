# requires: tensorflow==1.14.*
"""Super-resolution of brain slices: pairs of arrays, tf.Session."""
import os

import numpy as np
import tensorflow as tf

flags = tf.flags
flags.DEFINE_string("low", "low.npy", "")
flags.DEFINE_string("high", "high.npy", "")
flags.DEFINE_string("out", "ckpt", "")
flags.DEFINE_integer("batch_size", 16, "")
flags.DEFINE_integer("epochs", 100, "")
FLAGS = flags.FLAGS


def to_unit(x):
    x = tf.cast(x, tf.float32)
    return tf.expand_dims(x / 4095.0, -1)


class Pairs:
    def __init__(self, low, high):
        self.low, self.high = np.load(low), np.load(high)
        assert self.low.shape[0] == self.high.shape[0]

    def single(self, array):
        ds = tf.data.Dataset.from_tensor_slices(array)
        return ds.map(to_unit, num_parallel_calls=4)  # finding: map-before-batch

    def batches(self, size):
        both = tf.data.Dataset.zip((self.single(self.low), self.single(self.high)))
        both = both.shuffle(2000)
        return both.batch(size).prefetch(1)


def srcnn(x):
    x = tf.layers.conv2d_transpose(x, 64, 9, strides=2, padding="same", activation=tf.nn.relu)
    x = tf.layers.conv2d(x, 32, 1, padding="same", activation=tf.nn.relu)
    return tf.layers.conv2d(x, 1, 5, padding="same")


def main(_):
    pairs = Pairs(FLAGS.low, FLAGS.high)
    iterator = pairs.batches(FLAGS.batch_size).make_initializable_iterator()
    low, high = iterator.get_next()
    restored = srcnn(low)
    loss = tf.losses.mean_squared_error(high, restored)
    psnr = tf.reduce_mean(tf.image.psnr(high, restored, 1.0))
    train_op = tf.train.AdamOptimizer(1e-4).minimize(loss)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(FLAGS.epochs):
            sess.run(iterator.initializer)
            values = []
            try:
                while True:
                    values.append(sess.run([psnr, train_op])[0])
            except tf.errors.OutOfRangeError:
                pass
            print(epoch, np.mean(values))
            saver.save(sess, os.path.join(FLAGS.out, "srcnn"), epoch)


if __name__ == "__main__":
    tf.app.run()
