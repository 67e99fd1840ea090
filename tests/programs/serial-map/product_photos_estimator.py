# requires: tensorflow==1.14.*
"""Trains ResNet-50 on product photos kept in TFRecords (Cloud ML job)."""
import argparse
import multiprocessing
import os

import tensorflow as tf

HEIGHT = WIDTH = 224
MEANS = [123.68, 116.78, 103.94]


class ProductInput(object):
    def __init__(self, data_dir, is_training, num_classes, batch_size=64):
        self.data_dir = data_dir
        self.is_training = is_training
        self.num_classes = num_classes
        self.batch_size = batch_size

    def parse(self, record):
        keys = {
            "image/encoded": tf.FixedLenFeature((), tf.string, ""),
            "image/class/label": tf.FixedLenFeature([], tf.int64, -1),
        }
        parsed = tf.parse_single_example(record, keys)
        image = tf.image.decode_jpeg(parsed["image/encoded"], channels=3)
        if self.is_training:
            begin, size, _ = tf.image.sample_distorted_bounding_box(
                tf.shape(image), tf.zeros([1, 0, 4]), use_image_if_no_bounding_boxes=True
            )
            image = tf.slice(image, begin, size)
            image = tf.image.random_flip_left_right(image)
        image = tf.image.resize_images(image, [HEIGHT, WIDTH])
        image.set_shape([HEIGHT, WIDTH, 3])
        return image - tf.constant(MEANS), tf.one_hot(parsed["image/class/label"], self.num_classes)

    def filenames(self):
        prefix = "train" if self.is_training else "validation"
        return tf.gfile.Glob(os.path.join(self.data_dir, prefix + "-*-of-*"))

    def __call__(self):
        dataset = tf.data.Dataset.from_tensor_slices(self.filenames())
        if self.is_training:
            dataset = dataset.shuffle(1024)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)
        if self.is_training:
            dataset = dataset.shuffle(2000).repeat()
        dataset = dataset.map(self.parse)  # finding: serial-map
        dataset = dataset.batch(self.batch_size)
        dataset = dataset.prefetch(2)
        return dataset


def model_fn(features, labels, mode, params):
    base = tf.keras.applications.ResNet50(include_top=False, weights=None, pooling="avg")
    logits = tf.layers.dense(base(features, training=mode == tf.estimator.ModeKeys.TRAIN), params["classes"])
    loss = tf.losses.softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        hit = tf.metrics.accuracy(tf.argmax(labels, 1), tf.argmax(logits, 1))
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": hit})
    step = tf.train.get_global_step()
    rate = tf.train.piecewise_constant(step, [30000, 60000], [0.1, 0.01, 0.001])
    optimizer = tf.train.MomentumOptimizer(rate, 0.9)
    with tf.control_dependencies(base.updates):
        train_op = optimizer.minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--job-dir", required=True)
    parser.add_argument("--classes", type=int, default=431)
    parser.add_argument("--max-steps", type=int, default=90000)
    args = parser.parse_args()
    threads = multiprocessing.cpu_count()
    session = tf.ConfigProto(inter_op_parallelism_threads=threads, allow_soft_placement=True)
    run = tf.estimator.RunConfig(model_dir=args.job_dir, session_config=session)
    estimator = tf.estimator.Estimator(model_fn, config=run, params={"classes": args.classes})
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(ProductInput(args.data_dir, True, args.classes), args.max_steps),
        tf.estimator.EvalSpec(ProductInput(args.data_dir, False, args.classes), steps=None),
    )


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    main()
