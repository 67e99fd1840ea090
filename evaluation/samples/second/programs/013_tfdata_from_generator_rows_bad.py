import argparse

import keras
import numpy as np
import pandas as pd
import tensorflow as tf
from keras import layers

NUMERIC = ["amount", "hour", "age_days", "n_prev", "dist_km"]
TARGET = "chargeback"


class Transactions:
    def __init__(self, path):
        df = pd.read_parquet(path, columns=NUMERIC + ["merchant_id", TARGET])
        df[NUMERIC] = (df[NUMERIC] - df[NUMERIC].mean()) / df[NUMERIC].std()
        df["merchant_id"] = df["merchant_id"].astype("category").cat.codes
        self.df = df
        self.n_merchants = int(df["merchant_id"].max()) + 1

    def split(self, frac):
        mask = np.random.default_rng(7).random(len(self.df)) < frac
        return self.df[mask], self.df[~mask]


class RowFeed:
    def __init__(self, frame):
        self.frame = frame

    def __call__(self):
        for row in self.frame.itertuples(index=False):
            feats = {"num": np.array([getattr(row, c) for c in NUMERIC], "float32"), "merchant": row.merchant_id}
            yield feats, getattr(row, TARGET)


def as_dataset(frame, batch, training):
    ds = tf.data.Dataset.from_generator(
        RowFeed(frame),
        output_signature=(
            {"num": tf.TensorSpec((len(NUMERIC),), tf.float32), "merchant": tf.TensorSpec((), tf.int32)},
            tf.TensorSpec((), tf.float32),
        ),
    )
    if training:
        ds = ds.shuffle(100_000)
    return ds.batch(batch).prefetch(tf.data.AUTOTUNE)


def build(n_merchants):
    num = keras.Input((len(NUMERIC),), name="num")
    mid = keras.Input((), name="merchant", dtype="int32")
    x = layers.Concatenate()([num, layers.Embedding(n_merchants, 32)(mid)])
    for units in (256, 128):
        x = layers.Dropout(0.1)(layers.Dense(units, activation="gelu")(x))
    return keras.Model([num, mid], layers.Dense(1)(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("parquet")
    ap.add_argument("--batch", type=int, default=4096)
    ap.add_argument("--epochs", type=int, default=10)
    args = ap.parse_args()
    tx = Transactions(args.parquet)
    train, val = tx.split(0.9)
    net = build(tx.n_merchants)
    net.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True), metrics=[keras.metrics.AUC(from_logits=True)])
    net.fit(as_dataset(train, args.batch, True), validation_data=as_dataset(val, args.batch, False), epochs=args.epochs)
    net.save("fraud.keras")


if __name__ == "__main__":
    main()
