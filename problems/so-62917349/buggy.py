"""Rolling forecast of a seasonal series with a small dense network."""

import numpy as np
import tensorflow as tf

WINDOW = 24
HORIZON = 20
RESTARTS = 2


def make_series(length=400, seed=9):
    rng = np.random.default_rng(seed)
    time = np.arange(length)
    season = np.sin(2 * np.pi * time / 24) + 0.3 * np.sin(2 * np.pi * time / 7)
    return (season + rng.normal(0.0, 0.05, length)).astype(np.float32)


def windows(series):
    inputs = np.stack([series[i : i + WINDOW] for i in range(len(series) - WINDOW)])
    return inputs, series[WINDOW:]


def build_forecaster():
    inputs = tf.keras.Input((WINDOW,))
    hidden = tf.keras.layers.Dense(16, activation="relu")(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(hidden))
    model.compile(optimizer="adam", loss="mse")
    return model


def forecast(model, history):
    window = history[-WINDOW:].copy()
    steps = []
    for _ in range(HORIZON):
        value = model.predict(window[np.newaxis, :], verbose=0)[0, 0]  # finding
        steps.append(value)
        window = np.append(window[1:], value)
    return np.array(steps)


def main():
    tf.keras.utils.set_random_seed(21)
    series = make_series()
    inputs, targets = windows(series)
    model = build_forecaster()
    model.fit(inputs, targets, epochs=1, batch_size=64, verbose=0)
    start = len(series) // 2
    return np.stack(
        [forecast(model, series[: start + 24 * turn]) for turn in range(RESTARTS)]
    )


if __name__ == "__main__":
    print(main())
