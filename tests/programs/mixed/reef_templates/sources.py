"""Sources of reef pictures: each says how to read and label itself."""
import os

import tensorflow as tf


class Source:
    size = (128, 128)
    workers = None

    def __init__(self, root, batch_size=32):
        self.root = root
        self.batch_size = batch_size

    def files(self):
        raise NotImplementedError

    def parse(self, item):
        raise NotImplementedError

    def augment(self, image, label):
        return image, label

    def batches(self, training):
        data = self.files()
        if training:
            data = data.shuffle(1000).repeat()
        data = data.map(self.parse, num_parallel_calls=self.workers)  # finding: serial-map
        data = data.map(self.scale, num_parallel_calls=4)  # finding: map-before-batch
        if training:
            data = data.map(self.augment)  # finding: serial-map
        return data.batch(self.batch_size).prefetch(1)

    @staticmethod
    def scale(image, label):
        return tf.cast(image, tf.float32) / 255.0, label


class Folder(Source):
    def files(self):
        return tf.data.Dataset.list_files(os.path.join(self.root, "*", "*.jpg"))

    def parse(self, path):
        image = tf.image.decode_jpeg(tf.io.read_file(path), 3)
        label = tf.strings.split([path], os.sep).values[-2]
        return tf.image.resize(image, self.size), tf.cast(label == "bleached", tf.int32)

    def augment(self, image, label):
        return tf.image.random_flip_left_right(image), label


class Records(Source):
    SPEC = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "bleached": tf.io.FixedLenFeature([], tf.int64),
    }

    def files(self):
        names = tf.data.Dataset.list_files(os.path.join(self.root, "*.tfrecord"))
        return names.interleave(
            tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=tf.data.experimental.AUTOTUNE
        )

    def parse(self, item):
        parsed = tf.io.parse_single_example(item, self.SPEC)
        image = tf.io.decode_jpeg(parsed["image"], 3)
        return tf.image.resize(image, self.size), tf.cast(parsed["bleached"], tf.int32)


SOURCES = {cls.__name__.lower(): cls for cls in (Folder, Records)}
