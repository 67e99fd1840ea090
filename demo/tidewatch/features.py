"""What the forecaster sees of a window."""

from __future__ import annotations

import tensorflow as tf

from tidewatch.settings import STATIONS

MEAN_LEVEL = 2.4
LEVEL_SPREAD = 0.7


def standardize(window: dict[str, tf.Tensor]) -> dict[str, tf.Tensor]:
    """Levels around zero; clips what a stuck sensor reports."""
    past = tf.clip_by_value(window["past"], 0.0, 8.0)
    return {
        "station": window["station"],
        "past": (past - MEAN_LEVEL) / LEVEL_SPREAD,
        "following": (window["following"] - MEAN_LEVEL) / LEVEL_SPREAD,
    }


class StationNumbers:
    """Numbers the stations, unknown ones last."""

    def __init__(self) -> None:
        numbers = tf.range(len(STATIONS), dtype=tf.int64)
        initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(STATIONS), numbers)
        self.table = tf.lookup.StaticHashTable(initializer, default_value=len(STATIONS))

    def inputs_and_target(
        self, batch: dict[str, tf.Tensor]
    ) -> tuple[tuple[tf.Tensor, tf.Tensor], tf.Tensor]:
        return (batch["past"], self.table.lookup(batch["station"])), batch["following"]
