from __future__ import absolute_import, division, print_function

import os

import tensorflow as tf
from tensorflow.data import TFRecordDataset
from tensorflow.python.data.experimental import parallel_interleave

FEATURES = {
    "image/encoded": tf.FixedLenFeature([], tf.string),
    "image/class/label": tf.FixedLenFeature([], tf.int64),
}


def _parse(serialized, is_training):
    row = tf.parse_single_example(serialized, FEATURES)
    image = tf.image.decode_jpeg(row["image/encoded"], channels=3)
    if is_training:
        image = tf.random_crop(image, [224, 224, 3])
    else:
        image = tf.image.resize_image_with_crop_or_pad(image, 224, 224)
    return tf.to_float(image), row["image/class/label"]


class Reader(object):
    """Input function for the estimator."""

    def __init__(self, folder, is_training, batch_size, workers=None):
        self.pattern = os.path.join(folder, "%s-*" % ("train" if is_training else "val"))
        self.is_training = is_training
        self.batch_size = batch_size
        self.workers = workers or 16

    def __call__(self, params=None):
        files = tf.data.Dataset.list_files(self.pattern, shuffle=self.is_training)
        records = files.apply(parallel_interleave(TFRecordDataset, cycle_length=8, sloppy=True))
        if self.is_training:
            records = records.shuffle(4096).repeat()
        records = records.apply(tf.data.experimental.map_and_batch(
            lambda row: _parse(row, self.is_training), self.batch_size, drop_remainder=True,
            num_parallel_batches=4))
        return records.prefetch(2)

    def simple(self):
        files = tf.data.Dataset.list_files(self.pattern, shuffle=False)
        records = files.interleave(TFRecordDataset, cycle_length=8)  # finding: serial-map
        images = records.map(lambda row: _parse(row, False))  # finding: serial-map
        return images.batch(self.batch_size).prefetch(1)

    def tuned(self):
        files = tf.data.Dataset.list_files(self.pattern, shuffle=False)
        records = files.interleave(TFRecordDataset, 8, 1, 8)
        images = records.map(lambda row: _parse(row, False), self.workers)
        return images.batch(self.batch_size).prefetch(1)

    def legacy(self, names):
        rows = tf.data.Dataset.from_tensor_slices(names)
        rows = rows.map_with_legacy_function(self._from_disk)  # finding: serial-map
        return rows.batch(self.batch_size).prefetch(1)

    def _from_disk(self, name):
        data = tf.read_file(name)
        image = tf.image.decode_png(data, channels=3)
        return tf.image.resize_images(image, [224, 224])
