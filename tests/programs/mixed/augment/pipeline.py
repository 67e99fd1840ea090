"""Image pipelines of the plant classifier."""
from dataclasses import dataclass

import tensorflow as tf
from tensorflow.data import AUTOTUNE, Dataset


@dataclass
class PipelineConfig:
    pattern: str
    image_size: int = 224
    batch_size: int = 32
    seed: int = 7


def load(path, label, size):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, (size, size)), label


def jitter(image, label):
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, 0.2)
    return image, label


def scale(image, label):
    return tf.cast(image, tf.float32) / 127.5 - 1.0, label


class PlantData:
    def __init__(self, config: PipelineConfig, paths, labels):
        self.config = config
        self.files = Dataset.from_tensor_slices((paths, labels))
        self.flips = tf.keras.Sequential(
            [tf.keras.layers.RandomFlip("horizontal"), tf.keras.layers.RandomRotation(0.1)]
        )

    def train(self):
        ds = self.files.shuffle(len(self.files), seed=self.config.seed)
        ds = ds.map(lambda p, y: load(p, y, self.config.image_size), num_parallel_calls=AUTOTUNE)
        ds = ds.map(jitter)  # finding: serial-map
        ds = ds.map(scale, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
        ds = ds.batch(self.config.batch_size)
        return ds.prefetch(AUTOTUNE)

    def train_with_layers(self):
        ds = self.files.map(lambda p, y: load(p, y, self.config.image_size))
        ds = ds.batch(self.config.batch_size)
        ds = ds.map(lambda x, y: (self.flips(x, training=True), y))  # finding: serial-map
        return ds.prefetch(AUTOTUNE)

    def validation(self):
        options = tf.data.Options()
        options.experimental_optimization.map_parallelization = True
        ds = self.files.map(lambda p, y: load(p, y, self.config.image_size))
        ds = ds.with_options(options)
        ds = ds.batch(self.config.batch_size).map(scale)
        return ds.prefetch(AUTOTUNE)

    def lookups(self, vocabulary):
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(vocabulary, tf.range(len(vocabulary))), -1
        )
        names = Dataset.from_tensor_slices(vocabulary).repeat()
        ids = names.map(table.lookup, num_parallel_calls=4)  # finding: map-before-batch
        return ids.batch(256).prefetch(2)
