"""A thin, fluent layer over tf.data."""
import tensorflow as tf


class Flow:
    def __init__(self, dataset):
        self.dataset = dataset

    @classmethod
    def from_pattern(cls, pattern):
        return cls(tf.data.Dataset.list_files(pattern))

    def each(self, fn):
        self.dataset = self.dataset.map(fn)  # finding: serial-map
        return self

    def each_parallel(self, fn, workers=tf.data.experimental.AUTOTUNE):
        self.dataset = self.dataset.map(fn, num_parallel_calls=workers)
        return self

    def each_with(self, fn, **options):
        self.dataset = self.dataset.map(fn, **options)
        return self

    def batches(self, size):
        self.dataset = self.dataset.batch(size).prefetch(1)
        return self

    def done(self):
        return self.dataset


def apply_all(dataset, functions):
    for function in functions:
        dataset = dataset.map(function)  # finding: serial-map
    return dataset
