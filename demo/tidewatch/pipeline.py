"""From files to batches."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from tidewatch.features import StationNumbers, standardize
from tidewatch.settings import Settings
from tidewatch.shards import parse_window, read_shards


def training_batches(paths: Sequence[str], settings: Settings) -> tf.data.Dataset:
    parsed = read_shards(paths).map(lambda record: parse_window(record, settings.window))
    shuffled = parsed.cache().shuffle(512, seed=settings.seed)
    scaled = shuffled.map(standardize)
    return batched(scaled, settings)


def batched(examples: tf.data.Dataset, settings: Settings) -> tf.data.Dataset:
    numbers = StationNumbers()
    batches = examples.batch(settings.batch_size, drop_remainder=True)
    return batches.map(numbers.inputs_and_target).prefetch(tf.data.AUTOTUNE)
