"""Remaining useful life of wind-turbine gearboxes (10 min SCADA windows)."""
from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Cfg:
    window: int = 144
    channels: int = 18
    batch: int = 256
    cap: float = 5000.0
    seed: int = 7


class Windows:
    def __init__(self, cfg: Cfg, npz: str):
        blob = np.load(npz)
        self.cfg = cfg
        self.x = blob["x"]            # (2_100_000, 144, 18) int16
        self.hours = blob["hours"]    # (2_100_000,)
        self.mean = tf.constant(self.x[:50_000].mean((0, 1)), tf.float32)
        self.scale = tf.constant(1.0 / (self.x[:50_000].std((0, 1)) + 1e-3), tf.float32)

    def __len__(self):
        return len(self.x)

    def _standardise(self, w, h):
        w = (tf.cast(w, tf.float32) - self.mean) * self.scale
        return tf.clip_by_value(w, -6.0, 6.0), tf.minimum(tf.cast(h, tf.float32), self.cfg.cap) / self.cfg.cap

    def _drop_sensor(self, w, h):
        dead = tf.random.uniform([], 0, self.cfg.channels, tf.int32)
        return w * (1.0 - tf.one_hot(dead, self.cfg.channels)), h

    def _centre(self, w, h):
        # the mean of this one window over everything it holds
        return w - tf.reduce_mean(w), h

    def train(self) -> tf.data.Dataset:
        ds = tf.data.Dataset.from_tensor_slices((self.x, self.hours))
        ds = ds.shuffle(100_000, seed=self.cfg.seed)
        ds = ds.map(self._standardise, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
        ds = ds.batch(self.cfg.batch)
        return ds.prefetch(tf.data.AUTOTUNE)

    def train_robust(self) -> tf.data.Dataset:
        ds = tf.data.Dataset.from_tensor_slices((self.x, self.hours)).shuffle(100_000)
        ds = ds.batch(self.cfg.batch).map(self._standardise).unbatch()
        return ds.map(self._drop_sensor, num_parallel_calls=8).batch(self.cfg.batch)

    def holdout(self, k: int) -> tf.data.Dataset:
        ds = tf.data.Dataset.from_tensor_slices((self.x[-k:], self.hours[-k:]))
        return ds.batch(1024).map(self._standardise, num_parallel_calls=tf.data.AUTOTUNE)

    def centred(self, k: int):
        ds = tf.data.Dataset.from_tensor_slices((self.x[-k:].astype("float32"), self.hours[-k:]))
        return ds.map(self._centre, num_parallel_calls=tf.data.AUTOTUNE).batch(1024)


def tcn(cfg: Cfg) -> tf.keras.Model:
    x = inp = tf.keras.Input((cfg.window, cfg.channels))
    for d in (1, 2, 4, 8, 16):
        y = tf.keras.layers.Conv1D(64, 3, dilation_rate=d, padding="causal", activation="gelu")(x)
        x = y if d == 1 else tf.keras.layers.Add()([x, y])
    x = tf.keras.layers.Lambda(lambda t: t[:, -1])(x)
    return tf.keras.Model(inp, tf.keras.layers.Dense(1, activation="sigmoid")(x))


def cli(argv=None):
    import argparse

    p = argparse.ArgumentParser()
    p.add_argument("npz")
    p.add_argument("--robust", action="store_true")
    ns = p.parse_args(argv)
    cfg = Cfg()
    data = Windows(cfg, ns.npz)
    net = tcn(cfg)
    net.compile("adam", "huber")
    net.fit(data.train_robust() if ns.robust else data.train(), validation_data=data.holdout(80_000), epochs=15)
    print(net.evaluate(data.centred(80_000)))


if __name__ == "__main__":
    cli()
