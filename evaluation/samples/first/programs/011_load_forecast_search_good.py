"""Random search for an electricity load forecaster."""
import argparse
import json
import random

import keras
import numpy as np
from keras import layers

SPACE = {
    "units": [64, 128, 256, 512],
    "depth": [1, 2, 3],
    "dropout": [0.0, 0.1, 0.3],
    "lr": [3e-4, 1e-3, 3e-3],
    "batch_size": [128, 256, 512],
}


def sample(rng):
    return {k: rng.choice(v) for k, v in SPACE.items()}


def forecaster(hp, steps, features, horizon):
    model = keras.Sequential([keras.Input((steps, features))])
    for i in range(hp["depth"]):
        model.add(layers.LSTM(hp["units"], return_sequences=i < hp["depth"] - 1))
        model.add(layers.Dropout(hp["dropout"]))
    model.add(layers.Dense(horizon))
    model.compile(optimizer=keras.optimizers.Adam(hp["lr"]), loss="mae")
    return model


def windows(series, steps, horizon):
    view = np.lib.stride_tricks.sliding_window_view(series, steps + horizon, axis=0)
    view = np.moveaxis(view, -1, 1)
    return view[:, :steps].astype("float32"), view[:, steps:, 0].astype("float32")


class Search:
    def __init__(self, train, valid, trials, seed):
        self.train, self.valid = train, valid
        self.trials = trials
        self.rng = random.Random(seed)
        self.results = []

    def evaluate(self, hp):
        x, y = self.train
        net = forecaster(hp, x.shape[1], x.shape[2], y.shape[1])
        stop = keras.callbacks.EarlyStopping(patience=3)
        hist = net.fit(
            x, y, validation_data=self.valid, epochs=40, batch_size=hp["batch_size"],
            callbacks=[stop], verbose=0,
        )
        return min(hist.history["val_loss"])

    def run(self):
        for trial in range(self.trials):
            keras.utils.clear_session(free_memory=True)
            hp = sample(self.rng)
            loss = self.evaluate(hp)
            self.results.append({"trial": trial, "val_mae": loss, **hp})
            print(f"{trial:3d} {loss:.4f} {hp}")
        return min(self.results, key=lambda r: r["val_mae"])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("series")
    ap.add_argument("--trials", type=int, default=150)
    ap.add_argument("--steps", type=int, default=168)
    ap.add_argument("--horizon", type=int, default=24)
    args = ap.parse_args()

    series = np.load(args.series)
    cut = int(0.85 * len(series))
    mean, std = series[:cut].mean(0), series[:cut].std(0)
    series = (series - mean) / std
    search = Search(
        windows(series[:cut], args.steps, args.horizon),
        windows(series[cut:], args.steps, args.horizon),
        args.trials,
        seed=7,
    )
    best = search.run()
    with open("search.json", "w") as fh:
        json.dump({"best": best, "all": search.results}, fh, indent=1)


if __name__ == "__main__":
    main()
