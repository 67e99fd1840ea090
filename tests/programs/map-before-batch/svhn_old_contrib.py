# requires: tensorflow-gpu==1.8.0
"""Semi-supervised ladder on SVHN, after the paper's TensorFlow code."""
from __future__ import absolute_import, division, print_function

import os

import numpy as np
import tensorflow as tf
from scipy.io import loadmat

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("data_dir", "data/svhn", "directory with *_32x32.mat")
flags.DEFINE_integer("labelled", 1000, "how many labels are used")
flags.DEFINE_integer("batch_size", 100, "")
flags.DEFINE_integer("max_steps", 100000, "")
flags.DEFINE_float("consistency", 1.0, "weight of the unsupervised term")


def load_mat(name):
    data = loadmat(os.path.join(FLAGS.data_dir, name + "_32x32.mat"))
    images = np.transpose(data["X"], [3, 0, 1, 2])
    labels = data["y"].reshape(-1).astype(np.int32) % 10
    return images, labels


def _scale(image):
    return tf.to_float(image) * (2.0 / 255.0) - 1.0


def _with_one_hot(image, label):
    return _scale(image), tf.one_hot(label, 10)


def _jitter(image):
    image = tf.pad(image, [[2, 2], [2, 2], [0, 0]], mode="REFLECT")
    return tf.random_crop(image, [32, 32, 3])


def labelled_batches(images, labels):
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    dataset = dataset.apply(tf.contrib.data.shuffle_and_repeat(FLAGS.labelled))
    dataset = dataset.map(_with_one_hot, num_parallel_calls=4)  # finding: map-before-batch
    dataset = dataset.apply(tf.contrib.data.batch_and_drop_remainder(FLAGS.batch_size))
    return dataset.prefetch(2).make_initializable_iterator()


def unlabelled_batches(images):
    dataset = tf.data.Dataset.from_tensor_slices(images)
    dataset = dataset.apply(tf.contrib.data.shuffle_and_repeat(20000))
    dataset = dataset.map(lambda image: _jitter(_scale(image)), num_parallel_calls=4)
    dataset = dataset.batch(FLAGS.batch_size)
    return dataset.prefetch(2).make_initializable_iterator()


def network(x, training, reuse=None):
    with tf.variable_scope("net", reuse=reuse):
        for i, filters in enumerate([64, 128, 256]):
            x = tf.layers.conv2d(x, filters, 3, padding="same", name="conv%d" % i)
            x = tf.layers.batch_normalization(x, training=training, name="bn%d" % i)
            x = tf.nn.leaky_relu(x)
            x = tf.layers.max_pooling2d(x, 2, 2)
        x = tf.layers.dropout(tf.reduce_mean(x, [1, 2]), 0.5, training=training)
        return tf.layers.dense(x, 10, name="logits")


def main(_):
    images, labels = load_mat("train")
    order = np.random.RandomState(0).permutation(len(labels))
    chosen = order[: FLAGS.labelled]
    with tf.Graph().as_default():
        supervised = labelled_batches(images[chosen], labels[chosen])
        unsupervised = unlabelled_batches(images[order])
        x, y = supervised.get_next()
        u = unsupervised.get_next()
        loss = tf.losses.softmax_cross_entropy(y, network(x, True))
        noisy = u + tf.random_normal(tf.shape(u), stddev=0.15)
        first = tf.nn.softmax(network(u, True, reuse=True))
        second = tf.nn.softmax(network(noisy, True, reuse=True))
        consistency = tf.reduce_mean(tf.square(tf.stop_gradient(first) - second))
        step = tf.train.get_or_create_global_step()
        total = loss + FLAGS.consistency * consistency
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = tf.train.AdamOptimizer(3e-4).minimize(total, step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([supervised.initializer, unsupervised.initializer])
            for i in range(FLAGS.max_steps):
                _, value = session.run([train_op, total])
                if i % 500 == 0:
                    print("step %d: %.4f" % (i, value))


if __name__ == "__main__":
    tf.app.run()
