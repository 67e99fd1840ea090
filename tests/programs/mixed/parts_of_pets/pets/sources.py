"""Where the pictures come from."""
import abc

import tensorflow as tf


class Source(abc.ABC):
    """A folder of record files, named after the split."""

    feature_spec = {}

    def __init__(self, folder, cycle=8):
        self.folder = folder
        self.cycle = cycle

    @abc.abstractmethod
    def decode(self, record):
        """Picture and mask of one record."""

    def records(self, split):
        files = tf.data.Dataset.list_files(f"{self.folder}/{split}-*.tfrecord", shuffle=True)
        return files.interleave(tf.data.TFRecordDataset, cycle_length=self.cycle)  # finding: serial-map

    def examples(self, split):
        return self.records(split).map(self.decode)  # finding: serial-map


class PetSource(Source):
    feature_spec = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "mask": tf.io.FixedLenFeature([], tf.string),
    }

    def decode(self, record):
        parsed = tf.io.parse_single_example(record, self.feature_spec)
        image = tf.io.decode_jpeg(parsed["image"], channels=3)
        mask = tf.io.decode_png(parsed["mask"], channels=1)
        return image, mask


class CachedPetSource(PetSource):
    """Keeps the decoded pictures in a file and decodes on all cores."""

    def __init__(self, folder, cache_file, **kwargs):
        super().__init__(folder, **kwargs)
        self.cache_file = cache_file

    def examples(self, split):
        records = self.records(split)
        decoded = records.map(self.decode, num_parallel_calls=tf.data.experimental.AUTOTUNE)
        return decoded.cache(f"{self.cache_file}-{split}")
