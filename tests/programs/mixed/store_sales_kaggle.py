# requires: tensorflow==1.15
"""Store item demand: one global LSTM, recursive forecast per series."""
import os

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers, models

LOOKBACK, HORIZON = 90, 28
WEIGHTS = "lstm_global.h5"


def load(path="train.csv"):
    df = pd.read_csv(path, parse_dates=["date"])
    wide = df.pivot_table(index="date", columns=["store", "item"], values="sales").fillna(0)
    return wide.astype("float32")


def build():
    m = models.Sequential([
        layers.LSTM(128, return_sequences=True, input_shape=(LOOKBACK, 1)),
        layers.LSTM(64),
        layers.Dense(1),
    ])
    m.compile("adam", "mae")
    return m


def windows(series):
    for t in range(LOOKBACK, len(series) - 1):
        yield series[t - LOOKBACK:t, None], series[t:t + 1]


def batches(wide, bs=1024):
    def gen():
        cols = np.random.permutation(wide.shape[1])
        for c in cols:
            s = np.log1p(wide.values[:, c])
            for pair in windows(s):
                yield pair

    ds = tf.data.Dataset.from_generator(gen, (tf.float32, tf.float32), ((LOOKBACK, 1), (1,)))
    return ds.shuffle(50000).batch(bs).repeat().prefetch(1)


def fit(wide):
    m = build()
    m.fit(batches(wide), steps_per_epoch=800, epochs=12)
    m.save(WEIGHTS)


def fresh_model():
    K.clear_session()
    return models.load_model(WEIGHTS, compile=False)  # finding: model-per-turn


def roll(history):
    m = fresh_model()
    buf = list(np.log1p(history[-LOOKBACK:]))
    out = []
    while len(out) < HORIZON:
        x = np.asarray(buf[-LOOKBACK:], "float32")[None, :, None]
        nxt = float(m.predict(x)[0, 0])  # finding: predict-per-item
        buf.append(nxt)
        out.append(np.expm1(nxt))
    return out


def submission(wide):
    rows = {}
    for key in wide.columns:
        try:
            rows[key] = roll(wide[key].values)
        except ValueError as err:
            print("skip", key, err)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    table = load()
    if not os.path.exists(WEIGHTS):
        fit(table)
    submission(table).to_csv("submission.csv")
