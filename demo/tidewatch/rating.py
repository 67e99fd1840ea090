"""Discharge from levels: the rating curve of the old service, in TensorFlow 1."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import tensorflow.compat.v1 as tf


class RatingCurve:
    """discharge = scale * (level - base) ** power, for levels above `base`."""

    def __init__(self, scale: float = 12.0, base: float = 0.4, power: float = 1.6) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.levels = tf.placeholder(tf.float32, [None])
            depth = tf.maximum(self.levels - base, 0.0)
            self.flow = scale * tf.pow(depth, power)

    def discharge(self, levels: Iterable[float]) -> np.ndarray:
        """Cubic metres per second for each level in metres."""
        with tf.Session(graph=self.graph) as session:
            return session.run(self.flow, {self.levels: list(levels)})


def flood_days(daily_levels: np.ndarray, threshold: float) -> int:
    """How many days of `daily_levels`, of shape (days, hours), rise above `threshold`."""
    floods = 0
    with tf.Graph().as_default(), tf.Session() as session:
        for day in daily_levels:
            peak = session.run(tf.reduce_max(day))
            floods += int(peak > threshold)
    return floods
