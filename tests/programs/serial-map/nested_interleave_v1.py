# requires: tensorflow==1.15.*
"""Video clips as records of frames; TF 1.15 Estimator with its own input module in a class."""
import logging
import os

import tensorflow as tf
from tensorflow.data import Dataset, TFRecordDataset

tf.compat.v1.logging.set_verbosity(logging.INFO)
FRAMES, SIZE = 16, 112


class ClipInput(object):
    def __init__(self, pattern, training):
        self.pattern = pattern
        self.training = training

    @staticmethod
    def parse(serialized):
        context, sequence = tf.io.parse_single_sequence_example(
            serialized,
            context_features={"label": tf.io.FixedLenFeature([], tf.int64)},
            sequence_features={"frames": tf.io.FixedLenSequenceFeature([], tf.string)})
        frames = tf.map_fn(tf.image.decode_jpeg, sequence["frames"][:FRAMES], dtype=tf.uint8)
        frames = tf.image.resize(frames, (SIZE, SIZE))
        frames.set_shape([FRAMES, SIZE, SIZE, 3])
        return frames / 255.0, context["label"]

    def __call__(self, params):
        files = Dataset.list_files(self.pattern, shuffle=self.training)
        clips = files.interleave(  # finding: serial-map
            lambda name: TFRecordDataset(name, compression_type="GZIP"), cycle_length=8, block_length=4)
        if self.training:
            clips = clips.shuffle(256).repeat()
        clips = clips.map(self.parse)  # finding: serial-map
        return clips.batch(params["batch_size"], drop_remainder=True).prefetch(2)


def c3d(features, labels, mode, params):
    net = features
    for i, width in enumerate((64, 128, 256)):
        net = tf.compat.v1.layers.conv3d(net, width, 3, padding="same", activation=tf.nn.relu)
        net = tf.compat.v1.layers.max_pooling3d(net, (1 if i == 0 else 2, 2, 2), (1 if i == 0 else 2, 2, 2))
    net = tf.reduce_mean(net, [1, 2, 3])
    logits = tf.compat.v1.layers.dense(net, params["classes"])
    loss = tf.compat.v1.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.compat.v1.train.get_or_create_global_step()
    train_op = tf.compat.v1.train.AdamOptimizer(params["rate"]).minimize(loss, step)
    accuracy = tf.compat.v1.metrics.accuracy(labels, tf.argmax(logits, 1))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op,
                                      eval_metric_ops={"accuracy": accuracy})


def main():
    root = os.environ["CLIPS"]
    params = {"batch_size": 16, "classes": 101, "rate": 1e-4}
    estimator = tf.estimator.Estimator(c3d, model_dir="c3d", params=params)
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(ClipInput(os.path.join(root, "train-*"), True), max_steps=200000),
        tf.estimator.EvalSpec(ClipInput(os.path.join(root, "test-*"), False), steps=500))


if __name__ == "__main__":
    main()
