"""Steps of an input pipeline, composed by the trainers."""
from dataclasses import dataclass, field
from typing import Callable, List

import tensorflow as tf

AUTO = tf.data.AUTOTUNE


@dataclass
class PipelineConfig:
    batch_size: int = 64
    shuffle: int = 4096
    mean: float = 0.0
    std: float = 1.0
    clip: float = 5.0
    num_classes: int = 5
    extra: List[Callable] = field(default_factory=list)


class Standardize:
    """Standardizes ECG leads with the statistics of the training set."""

    def __init__(self, config):
        self.mean = tf.constant(config.mean, tf.float32)
        self.std = tf.constant(config.std, tf.float32)
        self.clip = config.clip

    def __call__(self, signal, label):
        signal = (tf.cast(signal, tf.float32) - self.mean) / self.std
        return tf.clip_by_value(signal, -self.clip, self.clip), label


def with_targets(num_classes):
    def apply(signal, label):
        return signal, {"class": tf.one_hot(label, num_classes), "abnormal": tf.cast(label > 0, tf.float32)}

    return apply


def prepare(dataset, config, training):
    """Standardized examples with the targets of both heads, one at a time."""
    if training:
        dataset = dataset.shuffle(config.shuffle)
    dataset = dataset.map(Standardize(config), AUTO)  # finding: map-before-batch
    dataset = dataset.map(with_targets(config.num_classes), AUTO)  # finding: map-before-batch
    for step in config.extra:
        dataset = dataset.map(step, AUTO)
    return dataset
