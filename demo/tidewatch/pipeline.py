"""From files to batches."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from tidewatch.features import StationNumbers, standardize
from tidewatch.settings import Settings
from tidewatch.shards import parse_window, read_shards


def training_batches(paths: Sequence[str], settings: Settings) -> tf.data.Dataset:
    parsed = read_shards(paths).map(lambda record: parse_window(record, settings.window))
    examples = parsed.cache().shuffle(512, seed=settings.seed)
    examples = examples.map(standardize)
    return with_targets(examples.batch(settings.batch_size, drop_remainder=True))


def with_targets(batches: tf.data.Dataset) -> tf.data.Dataset:
    numbers = StationNumbers()
    return batches.map(numbers.inputs_and_target).prefetch(tf.data.AUTOTUNE)
