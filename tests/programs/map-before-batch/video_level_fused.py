# requires: tensorflow-gpu==1.12.*
"""Reads sharded embeddings of video frames and trains a frame-level classifier."""
from __future__ import absolute_import, division, print_function

import functools
import time

import tensorflow as tf
from absl import app, flags

FLAGS = flags.FLAGS
flags.DEFINE_string("input_pattern", None, "Pattern of the training shards.")
flags.DEFINE_integer("batch_size", 256, "Examples per step.")
flags.DEFINE_integer("num_classes", 3862, "Labels in the vocabulary.")
flags.DEFINE_integer("steps", 100000, "Steps to train.")
flags.DEFINE_string("train_dir", "/tmp/yt8m", "Where to write checkpoints.")


def parse_video(serialized, num_classes):
    features = tf.parse_single_example(
        serialized,
        features={
            "id": tf.FixedLenFeature([], tf.string),
            "labels": tf.FixedLenFeature([num_classes], tf.float32),
            "mean_rgb": tf.FixedLenFeature([1024], tf.float32),
            "mean_audio": tf.FixedLenFeature([128], tf.float32),
        },
    )
    model_input = tf.concat([features["mean_rgb"], features["mean_audio"]], 0)
    return features["id"], tf.nn.l2_normalize(model_input, 0), features["labels"]


def get_inputs(pattern, batch_size, num_classes, training):
    files = tf.data.Dataset.list_files(pattern, shuffle=training)
    dataset = files.apply(
        tf.contrib.data.parallel_interleave(tf.data.TFRecordDataset, cycle_length=16)
    )
    if training:
        dataset = dataset.apply(tf.contrib.data.shuffle_and_repeat(8192))
    parse = functools.partial(parse_video, num_classes=num_classes)
    dataset = dataset.apply(tf.contrib.data.map_and_batch(parse, batch_size, num_parallel_batches=4))  # finding: map-before-batch
    dataset = dataset.prefetch(tf.contrib.data.AUTOTUNE)
    return dataset.make_one_shot_iterator().get_next()


def moe(inputs, num_classes, experts=2):
    gates = tf.layers.dense(inputs, num_classes * (experts + 1), use_bias=False)
    outputs = tf.layers.dense(inputs, num_classes * experts)
    gates = tf.nn.softmax(tf.reshape(gates, [-1, experts + 1]))
    outputs = tf.nn.sigmoid(tf.reshape(outputs, [-1, experts]))
    probs = tf.reduce_sum(gates[:, :experts] * outputs, 1)
    return tf.reshape(probs, [-1, num_classes])


def cross_entropy(probs, labels, epsilon=1e-5):
    loss = labels * tf.log(probs + epsilon) + (1 - labels) * tf.log(1 - probs + epsilon)
    return tf.reduce_mean(tf.reduce_sum(-loss, 1))


def main(_):
    _, inputs, labels = get_inputs(
        FLAGS.input_pattern, FLAGS.batch_size, FLAGS.num_classes, training=True
    )
    probs = moe(inputs, FLAGS.num_classes)
    loss = cross_entropy(probs, labels)
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.001, step, 4000, 0.95, staircase=True)
    train_op = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    hooks = [tf.train.StopAtStepHook(FLAGS.steps), tf.train.NanTensorHook(loss)]
    with tf.train.MonitoredTrainingSession(checkpoint_dir=FLAGS.train_dir, hooks=hooks) as sess:
        begin = time.time()
        while not sess.should_stop():
            _, value, at = sess.run([train_op, loss, step])
            if at % 100 == 0:
                print("step %d loss %.4f, %.1fs" % (at, value, time.time() - begin))


if __name__ == "__main__":
    app.run(main)
