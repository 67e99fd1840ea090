# requires: tensorflow==1.13.*
"""Denoising autoencoder on small patches, TF 1.13, one session."""
import time

import numpy as np
import tensorflow as tf

BATCH = 256
PATCH = 32


class PatchData(object):
    def __init__(self, path, batch_size=BATCH):
        self.patches = np.load(path)
        self.batch_size = batch_size

    def _normalize(self, patch):
        patch = tf.to_float(patch)
        patch = patch / 127.5 - 1.0
        return patch

    def iterator(self):
        ph = tf.placeholder(tf.uint8, self.patches.shape)
        ds = tf.data.Dataset.from_tensor_slices(ph)
        ds = ds.apply(tf.data.experimental.shuffle_and_repeat(50000))
        ds = ds.apply(tf.data.experimental.map_and_batch(  # finding: map-before-batch
            self._normalize, self.batch_size, num_parallel_batches=4, drop_remainder=True))
        ds = ds.prefetch(4)
        it = ds.make_initializable_iterator()
        return it, {ph: self.patches}


def conv(x, filters, stride, name):
    with tf.variable_scope(name):
        return tf.layers.conv2d(x, filters, 3, strides=stride, padding="same",
                                activation=tf.nn.relu)


def autoencoder(x):
    h = conv(x, 32, 2, "enc1")
    h = conv(h, 64, 2, "enc2")
    h = tf.layers.conv2d_transpose(h, 32, 3, strides=2, padding="same", activation=tf.nn.relu)
    return tf.layers.conv2d_transpose(h, 3, 3, strides=2, padding="same", activation=tf.tanh)


def main():
    data = PatchData("patches.npy")
    it, feed = data.iterator()
    clean = it.get_next()
    noisy = clean + tf.random_normal(tf.shape(clean), stddev=0.1)
    restored = autoencoder(noisy)
    loss = tf.reduce_mean(tf.square(restored - clean))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(1e-3).minimize(loss, global_step=step)
    saver = tf.train.Saver()

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(it.initializer, feed_dict=feed)
        start = time.time()
        for i in range(100000):
            if i % 100 == 0:
                _, value = sess.run([train_op, loss])
                print(i, value, time.time() - start)
            else:
                sess.run(train_op)
            if i % 10000 == 0:
                saver.save(sess, "ckpt/denoise", global_step=step)


if __name__ == "__main__":
    main()
