"""Fault detection from pump sensors (small dense network)."""
import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np
import pandas as pd
from keras import layers

SENSORS = [f"s{k:02d}" for k in range(24)]


@dataclass
class Config:
    hidden: tuple = (64, 32)
    batch_size: int = 32
    epochs: int = 40
    lr: float = 1e-3
    patience: int = 5


def features(frame):
    values = frame[SENSORS].to_numpy(np.float32)
    delta = np.diff(values, axis=0, prepend=values[:1])
    return np.concatenate([values, delta], axis=1)


def load(path):
    frame = pd.read_parquet(path).sort_values("time")
    return features(frame), frame["fault"].to_numpy(np.int32)


class FaultNet:
    def __init__(self, inputs, classes, cfg):
        self.cfg = cfg
        self.norm = layers.Normalization()
        net = keras.Sequential([keras.Input((inputs,)), self.norm])
        for units in cfg.hidden:
            net.add(layers.Dense(units, activation="relu"))
        net.add(layers.Dense(classes, activation="softmax"))
        self.net = net

    def train(self, x, y, xv, yv):
        self.norm.adapt(x)
        self.net.compile(
            optimizer=keras.optimizers.Adam(self.cfg.lr),
            loss="sparse_categorical_crossentropy",
            metrics=["accuracy"],
        )
        return self.net.fit(
            x, y, validation_data=(xv, yv), validation_batch_size=4096,
            batch_size=self.cfg.batch_size, epochs=self.cfg.epochs, verbose=2,
            callbacks=[keras.callbacks.EarlyStopping(
                patience=self.cfg.patience, restore_best_weights=True)])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("train", type=Path)
    p.add_argument("valid", type=Path)
    p.add_argument("--classes", type=int, default=7)
    p.add_argument("--out", type=Path, default=Path("fault"))
    args = p.parse_args()

    keras.utils.set_random_seed(0)
    x, y = load(args.train)
    xv, yv = load(args.valid)
    model = FaultNet(x.shape[1], args.classes, Config())
    history = model.train(x, y, xv, yv)
    args.out.mkdir(exist_ok=True)
    model.net.save(args.out / "model.keras")
    (args.out / "history.json").write_text(json.dumps(history.history, default=float))


if __name__ == "__main__":
    main()
