"""Pipelines are put together of stages, as the configuration names them."""

import dataclasses
from typing import Callable, List

import tensorflow as tf

from kws import features


@dataclasses.dataclass
class Stage:
    function: Callable
    parallel: bool = True


class Pipeline:
    """A chain of stages that is applied when somebody asks for batches."""

    def __init__(self, paths, labels, batch_size):
        self._base = tf.data.Dataset.from_tensor_slices((paths, labels))
        self._stages: List[Stage] = []
        self.batch_size = batch_size
        self.map_options = dict(num_parallel_calls=tf.data.AUTOTUNE, deterministic=False)

    def add(self, function, **options):
        self._stages.append(Stage(function, **options))
        return self

    def batches(self):
        ds = self._base.shuffle(10000)
        for stage in self._stages:
            ds = ds.map(stage.function, **self.map_options)
        return ds.batch(self.batch_size).prefetch(tf.data.AUTOTUNE)


def mapped(ds, function, workers=None):
    return ds.map(function, num_parallel_calls=workers)  # finding: serial-map


def evaluation(paths, labels, batch_size):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    ds = mapped(ds, features.load)
    ds = ds.batch(batch_size)
    ds = ds.map(features.log_mel)
    return ds.prefetch(tf.data.AUTOTUNE)


def stretched(paths, labels, batch_size):
    """The same for the second stage, where the recordings are shifted in time."""
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    return (
        ds.map(features.load, num_parallel_calls=tf.data.AUTOTUNE)
        .cache()
        .map(features.shift)  # finding: serial-map
        .batch(batch_size)
        .map(features.log_mel)
        .prefetch(tf.data.AUTOTUNE)
    )


def streamed(generators, batch_size):
    """Recordings that several microphones send."""

    def open_stream(number):
        return tf.data.Dataset.from_generator(
            generators, args=(number,), output_signature=tf.TensorSpec([16000], tf.float32)
        )

    numbers = tf.data.Dataset.range(16)
    ds = numbers.interleave(open_stream, cycle_length=16)  # finding: serial-map
    return ds.batch(batch_size).prefetch(4)
