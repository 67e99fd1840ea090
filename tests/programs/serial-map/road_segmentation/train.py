"""Trains a small U-Net on road scenes with an Estimator."""
import tensorflow as tf
from absl import app, flags

import records
from transforms import RandomColour, RandomCrop, pipeline

FLAGS = flags.FLAGS
flags.DEFINE_string("data", "gs://roads/train-*.tfrecord", "records to train on")
flags.DEFINE_string("eval_data", "gs://roads/val-*.tfrecord", "records to evaluate on")
flags.DEFINE_string("model_dir", "/tmp/roads", "where checkpoints go")
flags.DEFINE_integer("crop", 384, "side of a crop")
flags.DEFINE_integer("batch_size", 8, "pictures in a step")
flags.DEFINE_integer("steps", 60000, "steps in all")


def block(x, filters, training):
    for _ in range(2):
        x = tf.layers.conv2d(x, filters, 3, padding="same", use_bias=False)
        x = tf.layers.batch_normalization(x, training=training)
        x = tf.nn.relu(x)
    return x


def unet(image, training, classes=19):
    skips = []
    x = image
    for filters in (32, 64, 128):
        x = block(x, filters, training)
        skips.append(x)
        x = tf.layers.max_pooling2d(x, 2, 2)
    x = block(x, 256, training)
    for filters, skip in zip((128, 64, 32), reversed(skips)):
        x = tf.layers.conv2d_transpose(x, filters, 2, strides=2)
        x = block(tf.concat([x, skip], axis=-1), filters, training)
    return tf.layers.conv2d(x, classes, 1)


def model_fn(features, labels, mode, params):
    training = mode == tf.estimator.ModeKeys.TRAIN
    logits = unet(features["image"] / 127.5 - 1.0, training)
    keep = tf.cast(tf.not_equal(labels[..., 0], 255), tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(
        tf.minimum(labels[..., 0], 18), logits, weights=keep
    )
    if not training:
        iou = tf.metrics.mean_iou(tf.minimum(labels[..., 0], 18), tf.argmax(logits, -1), 19, keep)
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"iou": iou})
    optimizer = tf.train.MomentumOptimizer(params["lr"], 0.9)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(pattern, training):
    dataset = records.examples(pattern, (512, 1024), training)
    if training:
        dataset = dataset.repeat().shuffle(256)
        dataset = pipeline(dataset, [RandomCrop(FLAGS.crop), RandomColour()])
    return dataset.batch(FLAGS.batch_size, drop_remainder=training).prefetch(2)


def main(_):
    estimator = tf.estimator.Estimator(model_fn, FLAGS.model_dir, params={"lr": 0.01})
    train_spec = tf.estimator.TrainSpec(lambda: input_fn(FLAGS.data, True), FLAGS.steps)
    eval_spec = tf.estimator.EvalSpec(lambda: input_fn(FLAGS.eval_data, False), steps=None)
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)


if __name__ == "__main__":
    app.run(main)
