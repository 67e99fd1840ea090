"""TFRecord inputs for the fundus screening model."""
import functools
import glob
import os

import tensorflow as tf

IMAGE_SIDE = 448


class RecordSource(object):
    def __init__(self, root, split, side=IMAGE_SIDE, classes=5):
        self.root = root
        self.split = split
        self.side = side
        self.classes = classes

    @property
    def pattern(self):
        return os.path.join(self.root, "%s-*.tfrecord" % self.split)

    @property
    def is_training(self):
        return self.split == "train"

    def parse(self, serialized):
        features = tf.io.parse_single_example(
            serialized,
            {
                "image/encoded": tf.io.FixedLenFeature([], tf.string),
                "image/grade": tf.io.FixedLenFeature([], tf.int64),
            },
        )
        image = tf.image.decode_jpeg(features["image/encoded"], channels=3)
        image = tf.image.resize(image, [self.side, self.side])
        return image, tf.cast(features["image/grade"], tf.int32)

    def augment(self, image, label):
        image = tf.image.random_flip_left_right(image)
        image = tf.image.random_brightness(image, 0.2)
        return image, label

    def normalise(self, image, label):
        mean = tf.constant([109.2, 72.3, 51.7])
        return (image - mean) / 255.0, tf.one_hot(label, self.classes)

    def dataset(self, batch_size):
        files = tf.data.Dataset.list_files(self.pattern, shuffle=self.is_training)
        ds = files.interleave(tf.data.TFRecordDataset, cycle_length=8)  # finding: serial-map
        if self.is_training:
            ds = ds.shuffle(4096).repeat()
        ds = ds.map(self.parse)  # finding: serial-map
        if self.is_training:
            ds = ds.map(self.augment)  # finding: serial-map
        ds = ds.map(self.normalise, num_parallel_calls=8)  # finding: map-before-batch
        return ds.batch(batch_size, drop_remainder=True).prefetch(2)


def fast_dataset(root, batch_size):
    """The one used for the leaderboard runs."""
    source = RecordSource(root, "train")
    names = sorted(glob.glob(source.pattern))
    ds = tf.data.Dataset.from_tensor_slices(names)
    ds = ds.interleave(
        tf.data.TFRecordDataset,
        cycle_length=8,
        num_parallel_calls=tf.data.experimental.AUTOTUNE,
    )
    ds = ds.map(source.parse, num_parallel_calls=tf.data.experimental.AUTOTUNE)
    ds = ds.map(source.augment, num_parallel_calls=tf.data.experimental.AUTOTUNE)
    ds = ds.batch(batch_size)
    ds = ds.map(source.normalise, num_parallel_calls=4)
    return ds.prefetch(1)


def make_input_fn(root, split, batch_size):
    def input_fn():
        return RecordSource(root, split).dataset(batch_size)

    return input_fn


train_input = functools.partial(make_input_fn, split="train")
