"""What the model is fed: a table of measurements, and pictures of the gauges."""

import abc

import pandas as pd
import tensorflow.compat.v1 as tf

AUTOTUNE = tf.data.experimental.AUTOTUNE


class Source(abc.ABC):
    """A set of examples; a subclass says where they come from and how one is prepared."""

    def __init__(self, batch_size, seed=0):
        self.batch_size = batch_size
        self.seed = seed

    @abc.abstractmethod
    def examples(self):
        """The data set of raw examples."""

    @abc.abstractmethod
    def prepare(self, features, level):
        """One example, ready for the model."""

    def batches(self, training):
        data = self.examples()
        if training:
            data = data.shuffle(5000, seed=self.seed).repeat()
        data = data.map(self.prepare, AUTOTUNE)  # finding: map-before-batch
        data = data.batch(self.batch_size, drop_remainder=training)
        return data.prefetch(AUTOTUNE)


class Table(Source):
    def __init__(self, path, batch_size, mean, std):
        super().__init__(batch_size)
        frame = pd.read_csv(path)
        self.level = frame.pop("level").to_numpy("float32")
        self.columns = {name: frame[name].to_numpy("float32") for name in frame}
        self.mean, self.std = mean, std

    def examples(self):
        return tf.data.Dataset.from_tensor_slices((self.columns, self.level))

    def prepare(self, features, level):
        features = {name: (value - self.mean[name]) / self.std[name] for name, value in features.items()}
        features["rain"] = tf.math.log1p(tf.nn.relu(features["rain"]))
        return features, tf.clip_by_value(level, 0.0, 12.0)


def only_known(data):
    """Without gauges that were being repaired."""
    return data.filter(lambda picture, level: level > 0.0)


def as_float(data):
    return data.map(lambda picture, level: (tf.image.convert_image_dtype(picture, tf.float32), level), AUTOTUNE)  # finding: map-before-batch


def pictures(pattern, batch_size, size):
    def read(path):
        level = tf.strings.to_number(tf.strings.split([path], "_").values[-2])
        picture = tf.image.decode_jpeg(tf.io.read_file(path), channels=3)
        return tf.image.resize_with_crop_or_pad(picture, size, size), level

    data = tf.data.Dataset.list_files(pattern).map(read, AUTOTUNE)
    data = data.apply(only_known).apply(as_float)
    return data.batch(batch_size).prefetch(AUTOTUNE)


def sequences(table, width, batch_size):
    """Windows of several measurements that follow each other."""
    data = tf.data.Dataset.from_tensor_slices(table.level)
    data = data.map(lambda level: level / 12.0, AUTOTUNE)
    data = data.window(width + 1, shift=1, drop_remainder=True)
    data = data.flat_map(lambda window: window.batch(width + 1))
    data = data.map(lambda levels: (levels[:-1], levels[-1]), AUTOTUNE)
    return data.batch(batch_size).prefetch(AUTOTUNE)


def largest_of_each(pattern, batch_size, size):
    """Pictures in which every channel is scaled by its own largest value."""

    def scale(picture, level):
        picture = tf.cast(picture, tf.float32)
        return picture / tf.reduce_max(picture), level

    def read(path):
        picture = tf.image.decode_jpeg(tf.io.read_file(path), channels=3)
        return tf.image.resize_with_crop_or_pad(picture, size, size), tf.constant(0.0)

    data = tf.data.Dataset.list_files(pattern).map(read, AUTOTUNE).map(scale, AUTOTUNE)
    return data.batch(batch_size).prefetch(AUTOTUNE)
