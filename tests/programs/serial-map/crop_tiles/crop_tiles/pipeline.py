import tensorflow as tf

from . import augment
from .reading import read_mask, read_tile


class TilePipeline:
    """From an index of (path, row, col) to batches of tiles and masks."""

    def __init__(self, index, config):
        self.index = index
        self.size = config["tile_size"]
        self.batch_size = config["batch_size"]
        self.workers = config.get("workers", 8)

    def _read(self, path, row, col):
        tile = tf.numpy_function(read_tile, [path, row, col, self.size], tf.float32)
        mask = tf.numpy_function(read_mask, [path, row, col, self.size], tf.int32)
        tile.set_shape([self.size, self.size, 4])
        mask.set_shape([self.size, self.size])
        return tile, mask

    def _scale(self, tile, mask):
        return tf.clip_by_value(tile / 10_000.0, 0.0, 1.0), mask

    def train(self):
        ds = tf.data.Dataset.from_tensor_slices(self.index).shuffle(len(self.index[0]))
        ds = ds.map(self._read)  # note: serial-map
        ds = ds.map(augment.dihedral)  # note: serial-map
        ds = ds.map(augment.haze, num_parallel_calls=self.workers)
        ds = ds.batch(self.batch_size).map(self._scale)
        return ds.prefetch(tf.data.AUTOTUNE)

    def valid(self):
        ds = tf.data.Dataset.from_tensor_slices(self.index)
        ds = ds.map(self._read, num_parallel_calls=self.workers, deterministic=True)
        ds = ds.batch(self.batch_size).map(self._scale)
        return ds.cache().prefetch(tf.data.AUTOTUNE)
