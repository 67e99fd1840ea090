"""What all pipelines have in common."""
import abc

import tensorflow as tf


class Pipeline(abc.ABC):
    shuffle_buffer = 10_000

    def __init__(self, batch_size, seed=None):
        self.batch_size = batch_size
        self.seed = seed

    @abc.abstractmethod
    def source(self, split):
        """The raw examples of a split."""

    @abc.abstractmethod
    def preprocess(self, example):
        """One example, ready for the model."""

    def __call__(self, split, training=False):
        ds = self.source(split)
        if training:
            ds = ds.shuffle(self.shuffle_buffer, seed=self.seed).repeat()
        ds = ds.map(self.preprocess, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        ds = ds.batch(self.batch_size, drop_remainder=training)
        return ds.prefetch(tf.data.AUTOTUNE)
