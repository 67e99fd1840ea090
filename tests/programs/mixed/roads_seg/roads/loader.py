"""Tiles of aerial images and the masks of their roads."""

import functools
import os

import tensorflow as tf

from .augment import AUGMENTATIONS
from .config import DataConfig

AUTOTUNE = tf.data.experimental.AUTOTUNE


class SegmentationLoader:
    def __init__(self, config: DataConfig):
        self.config = config
        self.size = (config.image_size, config.image_size)

    def _paths(self, split):
        folder = os.path.join(self.config.root, split)
        images = tf.data.Dataset.list_files(os.path.join(folder, "images", "*.png"), shuffle=False)
        masks = tf.data.Dataset.list_files(os.path.join(folder, "masks", "*.png"), shuffle=False)
        return tf.data.Dataset.zip((images, masks))

    def _load(self, image_path, mask_path):
        image = tf.image.decode_png(tf.io.read_file(image_path), channels=3)
        mask = tf.image.decode_png(tf.io.read_file(mask_path), channels=1)
        image = tf.image.resize(image, self.size) / 255.0
        mask = tf.image.resize(mask, self.size, method="nearest")
        return image, mask

    def _read(self, split):
        return self._paths(split).map(self._load)  # finding: serial-map

    def _augmented(self, dataset):
        chosen = [AUGMENTATIONS[name] for name in self.config.augmentations]
        return functools.reduce(lambda ds, step: ds.map(step), chosen, dataset)  # finding: serial-map

    def _augmented_in_parallel(self, dataset):
        for name in self.config.augmentations:
            dataset = dataset.map(AUGMENTATIONS[name], num_parallel_calls=AUTOTUNE)
        return dataset

    def train(self):
        ds = self._read("train").cache().shuffle(self.config.shuffle)
        ds = self._augmented(ds)
        return ds.batch(self.config.batch_size).prefetch(AUTOTUNE)

    def finetune(self):
        ds = self._paths("train").shuffle(self.config.shuffle).map(self._load, AUTOTUNE)
        ds = self._augmented_in_parallel(ds)
        return ds.batch(self.config.batch_size).prefetch(AUTOTUNE)

    def validation(self):
        ds = self._paths("val")
        ds = ds.map(self._load, num_parallel_calls=self.config.workers or AUTOTUNE)
        return ds.batch(self.config.batch_size).prefetch(AUTOTUNE)
