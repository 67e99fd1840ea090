import os
from typing import Tuple

import tensorflow as tf


def read_pair(image_path, mask_path):
    image = tf.io.decode_png(tf.io.read_file(image_path), channels=3)
    mask = tf.io.decode_png(tf.io.read_file(mask_path), channels=1)
    return tf.cast(image, tf.float32) / 255.0, tf.cast(mask > 0, tf.float32)


class SegmentationLoader:
    def __init__(self, root: str, size: Tuple[int, int], batch_size: int):
        self.root = root
        self.size = size
        self.batch_size = batch_size

    def _paths(self, split):
        folder = os.path.join(self.root, split)
        names = sorted(os.listdir(os.path.join(folder, "images")))
        images = [os.path.join(folder, "images", n) for n in names]
        masks = [os.path.join(folder, "masks", n) for n in names]
        return images, masks

    def _resize(self, image, mask):
        image = tf.image.resize(image, self.size)
        mask = tf.image.resize(mask, self.size, method="nearest")
        return image, mask

    def _augment(self, image, mask):
        if tf.random.uniform(()) > 0.5:
            image = tf.image.flip_left_right(image)
            mask = tf.image.flip_left_right(mask)
        turns = tf.random.uniform((), 0, 4, tf.int32)
        return tf.image.rot90(image, turns), tf.image.rot90(mask, turns)

    def load(self, split: str) -> tf.data.Dataset:
        pairs = tf.data.Dataset.from_tensor_slices(self._paths(split))
        if split == "train":
            pairs = pairs.shuffle(1000)
        ds = pairs.map(read_pair)  # finding: serial-map
        ds = ds.map(self._resize)  # note: serial-map
        if split == "train":
            ds = ds.map(self._augment, num_parallel_calls=tf.data.experimental.AUTOTUNE)
        return ds.batch(self.batch_size).prefetch(tf.data.experimental.AUTOTUNE)
