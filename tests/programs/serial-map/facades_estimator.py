# requires: tensorflow==1.15.*
"""pix2pix on facades, with an Estimator; shards were written by tools/pack.py."""

import argparse
import functools
import os

import tensorflow as tf

SIZE = 256


def _parse(serialized, is_training):
    parsed = tf.io.parse_single_example(
        serialized,
        {"pair/encoded": tf.io.FixedLenFeature([], tf.string), "pair/name": tf.io.FixedLenFeature([], tf.string)},
    )
    both = tf.image.decode_png(parsed["pair/encoded"], channels=3)
    both = tf.cast(both, tf.float32) / 127.5 - 1.0
    width = tf.shape(both)[1] // 2
    pair = tf.concat([both[:, :width], both[:, width:]], axis=2)
    if is_training:
        pair = tf.image.resize(pair, [SIZE + 30, SIZE + 30])
        pair = tf.image.random_crop(pair, [SIZE, SIZE, 6])
        pair = tf.image.random_flip_left_right(pair)
    else:
        pair = tf.image.resize(pair, [SIZE, SIZE])
    return pair[..., 3:], pair[..., :3]


def input_fn(folder, mode, batch_size):
    is_training = mode == tf.estimator.ModeKeys.TRAIN
    files = tf.data.Dataset.list_files(os.path.join(folder, "%s-*.tfrecord" % mode), shuffle=is_training)
    dataset = files.interleave(tf.data.TFRecordDataset, cycle_length=4, block_length=16)  # finding: serial-map
    if is_training:
        dataset = dataset.shuffle(1000).repeat()
    dataset = dataset.map(functools.partial(_parse, is_training=is_training))  # finding: serial-map
    dataset = dataset.batch(batch_size, drop_remainder=is_training)
    return dataset.prefetch(1)


def generator(x, training):
    skips = []
    for filters in (64, 128, 256, 512, 512, 512):
        x = tf.layers.conv2d(x, filters, 4, 2, "same", use_bias=False)
        x = tf.nn.leaky_relu(tf.layers.batch_normalization(x, training=training))
        skips.append(x)
    for filters, skip in zip((512, 512, 256, 128, 64), skips[-2::-1]):
        x = tf.layers.conv2d_transpose(x, filters, 4, 2, "same", use_bias=False)
        x = tf.nn.relu(tf.layers.batch_normalization(x, training=training))
        x = tf.concat([x, skip], axis=-1)
    return tf.tanh(tf.layers.conv2d_transpose(x, 3, 4, 2, "same"))


def discriminator(labels, images):
    x = tf.concat([labels, images], axis=-1)
    for filters in (64, 128, 256):
        x = tf.nn.leaky_relu(tf.layers.conv2d(x, filters, 4, 2, "same"))
    return tf.layers.conv2d(x, 1, 4, 1, "same")


def model_fn(features, labels, mode, params):
    training = mode == tf.estimator.ModeKeys.TRAIN
    with tf.variable_scope("generator"):
        fake = generator(features, training)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"image": fake})
    with tf.variable_scope("discriminator"):
        real_logits = discriminator(features, labels)
    with tf.variable_scope("discriminator", reuse=True):
        fake_logits = discriminator(features, fake)
    l1 = tf.reduce_mean(tf.abs(labels - fake))
    g_loss = tf.losses.sigmoid_cross_entropy(tf.ones_like(fake_logits), fake_logits) + params["l1"] * l1
    d_loss = tf.losses.sigmoid_cross_entropy(tf.ones_like(real_logits), real_logits)
    d_loss += tf.losses.sigmoid_cross_entropy(tf.zeros_like(fake_logits), fake_logits)
    optimizer = tf.train.AdamOptimizer(params["lr"], beta1=0.5)
    step = tf.train.get_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        g_step = optimizer.minimize(g_loss, step, tf.trainable_variables("generator"))
        d_step = optimizer.minimize(d_loss, var_list=tf.trainable_variables("discriminator"))
    return tf.estimator.EstimatorSpec(mode, loss=g_loss + d_loss, train_op=tf.group(g_step, d_step))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=80000)
    parser.add_argument("--batch-size", type=int, default=4)
    args = parser.parse_args()
    estimator = tf.estimator.Estimator(model_fn, "runs/facades", params={"l1": 100.0, "lr": 2e-4})
    for _ in range(args.steps // 5000):
        estimator.train(lambda: input_fn(args.folder, "train", args.batch_size), steps=5000)
        print(estimator.evaluate(lambda: input_fn(args.folder, "eval", 1)))


if __name__ == "__main__":
    main()
