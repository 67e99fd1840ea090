# requires: keras==3.*, tensorflow==2.18.*
"""Random search over small Keras networks for tabular sensor data."""
import csv
import itertools
import json
import pathlib
import random

import keras
import numpy as np
from keras import layers, ops

FOLDER = pathlib.Path("runs")


def load(path):
    with open(path) as handle:
        rows = list(csv.reader(handle))[1:]
    table = np.array(rows, dtype="float32")
    return table[:, :-1], table[:, -1].astype("int64")


def standardize(x, mean, std):
    return (x - mean) / np.maximum(std, 1e-6)


class RBF(layers.Layer):
    """Distances to learned centres."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, shape):
        self.centres = self.add_weight(shape=(self.units, shape[-1]), initializer="random_normal")
        self.width = self.add_weight(shape=(self.units,), initializer="ones")

    def call(self, x):
        gap = ops.expand_dims(x, 1) - self.centres
        return ops.exp(-self.width * ops.sum(ops.square(gap), axis=-1))


def build(features, classes, trial):
    inputs = keras.Input((features,))
    x = layers.Dropout(trial["dropout"])(inputs)
    if trial["rbf"]:
        x = layers.Concatenate()([x, RBF(trial["width"])(x)])
    for _ in range(trial["depth"]):
        skip = layers.Dense(trial["width"])(x)
        x = layers.Dense(trial["width"], activation="gelu")(x)
        x = layers.LayerNormalization()(layers.Add()([x, skip]))
    outputs = layers.Dense(classes)(x)
    model = keras.Model(inputs, outputs)
    model.compile(
        optimizer=keras.optimizers.AdamW(trial["lr"]),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def space():
    grid = {
        "depth": (1, 2, 3),
        "width": (32, 64, 128),
        "dropout": (0.0, 0.2),
        "lr": (3e-4, 1e-3),
        "rbf": (False, True),
    }
    for values in itertools.product(*grid.values()):
        yield dict(zip(grid, values))


def calibrate(model, x, y):
    """Pick the temperature with the best likelihood; the logits are computed once."""
    logits = model.predict(x, verbose=0)
    best, chosen = np.inf, 1.0
    for temperature in np.linspace(0.5, 3.0, 26):
        logp = ops.log_softmax(logits / temperature, axis=-1)
        nll = -float(np.mean(np.asarray(logp)[np.arange(len(y)), y]))
        if nll < best:
            best, chosen = nll, temperature
    return chosen, best


def main(path="sensors.csv", budget=20, seed=0):
    random.seed(seed)
    x, y = load(path)
    order = np.random.default_rng(seed).permutation(len(x))
    cut = int(0.8 * len(x))
    train, valid = order[:cut], order[cut:]
    mean, std = x[train].mean(0), x[train].std(0)
    x = standardize(x, mean, std)
    classes = int(y.max()) + 1
    FOLDER.mkdir(exist_ok=True)
    results = []
    for number, trial in enumerate(random.sample(list(space()), budget)):
        keras.backend.clear_session()
        model = build(x.shape[1], classes, trial)
        model.fit(x[train], y[train], batch_size=256, epochs=40, verbose=0)
        temperature, nll = calibrate(model, x[valid], y[valid])
        results.append({**trial, "temperature": float(temperature), "nll": nll})
        model.save(FOLDER / f"trial_{number:02d}.keras")
    results.sort(key=lambda r: r["nll"])
    (FOLDER / "results.json").write_text(json.dumps(results, indent=1))
    for seed in (1, 2, 3):
        keras.utils.set_random_seed(seed)
        model = build(x.shape[1], classes, results[0])
        model.fit(x[train], y[train], batch_size=256, epochs=80, verbose=0)
        print(seed, model.evaluate(x[valid], y[valid], verbose=0))


if __name__ == "__main__":
    main()
