import argparse
import time

import numpy as np
import pandas as pd
import tensorflow as tf

LOOKBACK = 48


def windows(values):
    x, y = [], []
    for i in range(len(values) - LOOKBACK):
        x.append(values[i : i + LOOKBACK])
        y.append(values[i + LOOKBACK])
    return np.array(x), np.array(y)


def dataset(values, size=64):
    ds = tf.data.Dataset.from_tensor_slices(values)
    ds = ds.window(LOOKBACK + 1, shift=1, drop_remainder=True)
    ds = ds.flat_map(lambda w: w.batch(LOOKBACK + 1))
    ds = ds.map(lambda w: (w[:-1], w[-1]), num_parallel_calls=4)
    return ds.shuffle(1000).batch(size).prefetch(1)


def lstm(features):
    model = tf.keras.Sequential([
        tf.keras.layers.LSTM(64, return_sequences=True, input_shape=(LOOKBACK, features)),
        tf.keras.layers.LSTM(32),
        tf.keras.layers.Dense(features),
    ])
    model.compile("adam", "mae")
    return model


def rolling(model, history, horizon):
    window = history[-LOOKBACK:]
    answers = []
    for _ in range(horizon):
        following = model.predict(window[None])  # finding: predict-per-item, buggy-version
        answers.append(following[0])
        window = np.vstack([window[1:], following])
    return np.array(answers)


def backtest(model, x_test, y_test):
    guess = model.predict(x_test)  # finding: predict-batch-size
    return np.abs(guess - y_test).mean()


def daemon(model, source):
    while True:
        frame = pd.read_csv(source).tail(LOOKBACK)
        print(model(frame.values[None].astype("float32")).numpy())
        time.sleep(60)


def ensemble(seeds, x, y):
    total = 0
    for seed in seeds:
        tf.keras.backend.clear_session()
        tf.random.set_seed(seed)
        model = lstm(x.shape[-1])
        model.fit(x, y, batch_size=64, epochs=5, verbose=0)
        total = total + model.predict(x, batch_size=1024)
    return total / len(seeds)


def scale(frame):
    return (frame - frame.mean()) / frame.std()


def fill(values: np.ndarray):
    out = np.empty_like(values)
    for i in range(len(values)):  # finding: looped-branch
        out[i] = 0.0 if np.isnan(values[i]) else values[i]
    return out


def carry_forward(values):
    out = values.copy()
    for i in range(1, len(out)):
        if np.isnan(out[i]):
            out[i] = out[i - 1]
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("csv")
    parser.add_argument("--batch", type=int, default=4)
    args = parser.parse_args()
    values = scale(pd.read_csv(args.csv, index_col=0)).values.astype("float32")
    x, y = windows(values)
    cut = int(len(x) * 0.8)
    model = lstm(values.shape[1])
    model.fit(x[:cut], y[:cut], batch_size=4, epochs=20)
    print(backtest(model, x[cut:], y[cut:]))
    np.save("future.npy", rolling(model, values, 24 * 14))


if __name__ == "__main__":
    main()
