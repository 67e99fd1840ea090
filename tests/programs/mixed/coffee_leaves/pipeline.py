from __future__ import annotations

import enum
import typing as t
from dataclasses import dataclass

import tensorflow as tf
import tensorflow_addons as tfa

Step = t.Callable[[tf.Tensor, tf.Tensor], tuple[tf.Tensor, tf.Tensor]]


class Split(enum.Enum):
    TRAIN = "train"
    VALID = "valid"


@dataclass(frozen=True)
class PipelineConfig:
    files: str
    labels: str
    size: int = 256
    batch_size: int = 64
    rotate: float = 0.3
    steps: tuple[str, ...] = ("scale", "flip", "rotate")


def decode(config: PipelineConfig) -> Step:
    def run(record, _):
        spec = {"image": tf.io.FixedLenFeature([], tf.string), "disease": tf.io.FixedLenFeature([], tf.string)}
        parsed = tf.io.parse_single_example(record, spec)
        image = tf.io.decode_png(parsed["image"], channels=3)
        return tf.image.resize_with_pad(image, config.size, config.size), parsed["disease"]

    return run


def scale(config: PipelineConfig) -> Step:
    return lambda image, label: (tf.cast(image, tf.float32) / 127.5 - 1.0, label)


def flip(config: PipelineConfig) -> Step:
    return lambda image, label: (tf.image.random_flip_left_right(image), label)


def rotate(config: PipelineConfig) -> Step:
    def run(image, label):
        angle = tf.random.uniform([], -config.rotate, config.rotate)
        return tfa.image.rotate(image, angle, fill_mode="nearest"), label

    return run


STEPS: dict[str, t.Callable[[PipelineConfig], Step]] = {"scale": scale, "flip": flip, "rotate": rotate}


def label_table(path: str) -> tf.lookup.StaticHashTable:
    rows = tf.lookup.TextFileInitializer(
        path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
    )
    return tf.lookup.StaticHashTable(rows, default_value=-1)


def pipeline(config: PipelineConfig, split: Split) -> tf.data.Dataset:
    table = label_table(config.labels)
    records = tf.data.TFRecordDataset(
        tf.io.gfile.glob(config.files), num_parallel_reads=tf.data.AUTOTUNE
    )
    data = records.map(lambda record: (record, ""))
    data = data.map(decode(config), num_parallel_calls=tf.data.AUTOTUNE)
    data = data.map(lambda image, name: (image, table.lookup(name)))  # finding: serial-map, map-before-batch
    if split is Split.TRAIN:
        data = data.shuffle(2_000, reshuffle_each_iteration=True)
        for step in (STEPS[name](config) for name in config.steps):
            data = data.map(step)  # finding: serial-map
    else:
        data = data.map(scale(config))  # finding: map-before-batch
    return data.batch(config.batch_size, drop_remainder=split is Split.TRAIN).prefetch(tf.data.AUTOTUNE)
