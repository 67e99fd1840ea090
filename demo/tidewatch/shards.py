"""Windows of readings in TFRecord files, one file per station."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf

from tidewatch.synthetic import windows


def write_shards(levels: dict[str, np.ndarray], folder: Path, window: int) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for station, series in levels.items():
        path = str(folder / f"{station}.tfrecord")
        with tf.io.TFRecordWriter(path) as writer:
            for past, following in zip(*windows(series, window), strict=True):
                writer.write(_example(station, past, following))
        paths.append(path)
    return paths


def read_shards(paths: Sequence[str]) -> tf.data.Dataset:
    """The serialized windows of all stations, taken from the files in turn."""
    files = tf.data.Dataset.from_tensor_slices(list(paths))
    return files.interleave(tf.data.TFRecordDataset, cycle_length=4)


def parse_window(serialized: tf.Tensor, window: int) -> dict[str, tf.Tensor]:
    return tf.io.parse_single_example(
        serialized,
        {
            "station": tf.io.FixedLenFeature([], tf.string),
            "past": tf.io.FixedLenFeature([window], tf.float32),
            "following": tf.io.FixedLenFeature([], tf.float32),
        },
    )


def _example(station: str, past: np.ndarray, following: np.float32) -> bytes:
    features = {
        "station": tf.train.Feature(bytes_list=tf.train.BytesList(value=[station.encode()])),
        "past": tf.train.Feature(float_list=tf.train.FloatList(value=past)),
        "following": tf.train.Feature(float_list=tf.train.FloatList(value=[following])),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
