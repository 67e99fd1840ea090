# requires: tensorflow==1.4.*
"""Fine-tune a classifier on TFRecords of JPEG images."""
from __future__ import absolute_import, division, print_function

import os

import tensorflow as tf

slim = tf.contrib.slim

tf.app.flags.DEFINE_string("records", "/data/flowers", "folder of the records")
tf.app.flags.DEFINE_string("logdir", "/tmp/flowers", "")
tf.app.flags.DEFINE_integer("batch_size", 64, "")
tf.app.flags.DEFINE_integer("max_steps", 50000, "")
FLAGS = tf.app.flags.FLAGS


def _parse_function(example_proto):
    features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/class/label": tf.FixedLenFeature((), tf.int64, default_value=0),
    }
    parsed = tf.parse_single_example(example_proto, features)
    image = tf.image.decode_jpeg(parsed["image/encoded"], channels=3)
    image = tf.image.resize_images(image, [224, 224])
    return image, tf.cast(parsed["image/class/label"], tf.int32)


def _distort(image, label):
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=32.0)
    image = tf.image.random_saturation(image, 0.5, 1.5)
    return tf.subtract(tf.multiply(image, 1.0 / 127.5), 1.0), label


def inputs(is_training):
    split = "train" if is_training else "validation"
    pattern = os.path.join(FLAGS.records, split + "-*")
    dataset = tf.data.TFRecordDataset(tf.gfile.Glob(pattern))
    dataset = dataset.map(_parse_function)  # finding: serial-map
    if is_training:
        dataset = dataset.map(_distort)  # note: serial-map
        dataset = dataset.shuffle(2000).repeat()
    dataset = dataset.batch(FLAGS.batch_size)
    return dataset.make_one_shot_iterator().get_next()


def network(images, num_classes=5, is_training=True):
    with slim.arg_scope([slim.conv2d], weights_regularizer=slim.l2_regularizer(1e-4)):
        net = slim.conv2d(images, 32, [5, 5], stride=2, scope="conv1")
        net = slim.max_pool2d(net, [3, 3], scope="pool1")
        net = slim.repeat(net, 2, slim.conv2d, 64, [3, 3], scope="conv2")
        net = slim.max_pool2d(net, [3, 3], scope="pool2")
        net = slim.flatten(net)
        net = slim.dropout(net, 0.5, is_training=is_training)
        return slim.fully_connected(net, num_classes, activation_fn=None, scope="logits")


def main(_):
    images, labels = inputs(True)
    logits = network(images)
    tf.losses.sparse_softmax_cross_entropy(labels, logits)
    total = tf.losses.get_total_loss()
    tf.summary.scalar("loss", total)
    optimizer = tf.train.RMSPropOptimizer(0.01, decay=0.9)
    train_op = slim.learning.create_train_op(total, optimizer)
    slim.learning.train(train_op, FLAGS.logdir, number_of_steps=FLAGS.max_steps,
                        save_summaries_secs=60)


if __name__ == "__main__":
    tf.app.run()
