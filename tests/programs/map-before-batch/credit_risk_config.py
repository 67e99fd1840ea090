# requires: tensorflow==2.8.*
"""Credit risk scores: features are scaled as the YAML of the model says."""
import argparse
import dataclasses
import functools
import logging
from typing import Dict, List, Optional, Tuple

import tensorflow as tf
import yaml

log = logging.getLogger(__name__)


@dataclasses.dataclass
class Range:
    low: float
    high: float

    @property
    def width(self):
        return self.high - self.low


@dataclasses.dataclass
class FeatureConfig:
    numeric: Dict[str, Tuple[float, float]] = dataclasses.field(
        default_factory=lambda: {
            "income": (52_000.0, 31_000.0),
            "debt": (14_000.0, 22_000.0),
            "age": (44.0, 15.0),
        }
    )
    flags: List[str] = dataclasses.field(default_factory=lambda: ["has_mortgage", "employed"])
    label: str = "defaulted"
    batch_size: int = 2048
    shuffle: int = 100_000


def read_config(path: Optional[str]) -> FeatureConfig:
    if path is None:
        return FeatureConfig()
    with open(path) as stream:
        return FeatureConfig(**yaml.safe_load(stream))


NUMERIC = {"income": (52_000.0, 31_000.0), "debt": (14_000.0, 22_000.0), "age": (44.0, 15.0)}
FLAGS = ("has_mortgage", "employed")


def scale(row, numeric=None):
    for name in NUMERIC:
        mean, std = NUMERIC[name]
        row[name] = (row[name] - mean) / std
    for name in FLAGS:
        row[name] = tf.where(row[name] == "yes", 1.0, 0.0)
    return row


def split(row, label="defaulted"):
    row = dict(row)
    target = row.pop(label)
    return row, tf.cast(target, tf.float32)


def weigh(row, target, positive=1.0):
    weights = target * positive + (1.0 - target)
    return row, target, weights


def pipeline(pattern, config, training, positive):
    rows = tf.data.experimental.make_csv_dataset(
        pattern,
        batch_size=1,
        num_epochs=1,
        shuffle=False,
    ).unbatch()
    if training:
        rows = rows.shuffle(config.shuffle)
    rows = rows.map(scale, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    rows = rows.map(split, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    rows = rows.map(functools.partial(weigh, positive=positive))  # finding: map-before-batch
    rows = rows.batch(config.batch_size)
    return rows.prefetch(tf.data.AUTOTUNE)


def build(config):
    inputs = {name: tf.keras.Input((), name=name) for name in (*config.numeric, *config.flags)}
    x = tf.stack(list(inputs.values()), axis=-1)
    for units in (64, 32):
        x = tf.keras.layers.Dense(units, activation="swish")(x)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(x))
    model.compile("adam", "binary_crossentropy", weighted_metrics=[tf.keras.metrics.AUC()])
    return model


class StopWhenGood(tf.keras.callbacks.Callback):
    def __init__(self, auc):
        super().__init__()
        self.auc = auc

    def on_epoch_end(self, epoch, logs=None):
        if (logs or {}).get("val_auc", 0.0) >= self.auc:
            log.info("good enough after %d epochs", epoch + 1)
            self.model.stop_training = True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("--config")
    parser.add_argument("--positive", type=float, default=12.0)
    args = parser.parse_args()
    config = read_config(args.config)
    model = build(config)
    model.fit(
        pipeline(args.train, config, True, args.positive),
        validation_data=pipeline(args.valid, config, False, args.positive),
        epochs=20,
        callbacks=[StopWhenGood(0.82)],
    )
    model.save("risk")


if __name__ == "__main__":
    main()
