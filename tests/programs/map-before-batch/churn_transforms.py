# requires: tensorflow==2.8.*
"""Telecom churn: transformations of columns are kept in a table, so analysts can add their own."""

import argparse
import logging

import numpy as np
import pandas as pd
import tensorflow as tf

log = logging.getLogger("churn")

TRANSFORMS = {
    "tenure": lambda t: tf.math.log1p(tf.cast(t, tf.float32)),
    "monthly_charges": lambda t: (tf.cast(t, tf.float32) - 64.8) / 30.1,
    "total_charges": lambda t: tf.math.log1p(tf.maximum(tf.cast(t, tf.float32), 0.0)),
    "senior": lambda t: tf.cast(t, tf.float32),
}
CONTRACTS = tf.constant(["Month-to-month", "One year", "Two year"])


def contract_table():
    init = tf.lookup.KeyValueTensorInitializer(CONTRACTS, tf.range(3, dtype=tf.int64))
    return tf.lookup.StaticHashTable(init, default_value=-1)


class ChurnPipeline:
    def __init__(self, frame, batch_size=512, seed=0):
        self.frame = frame
        self.batch_size = batch_size
        self.seed = seed
        self.table = contract_table()

    def numeric(self, row):
        return {name: fn(row[name]) for name, fn in TRANSFORMS.items()}

    def encode(self, row, label):
        out = self.numeric(row)
        out["contract"] = tf.one_hot(self.table.lookup(row["contract"]), 3)
        return out, label

    def split(self, fraction=0.2):
        held = self.frame.sample(frac=fraction, random_state=self.seed)
        return self.frame.drop(held.index), held

    def dataset(self, frame, shuffle):
        labels = (frame["churn"] == "Yes").to_numpy(np.float32)
        features = {name: frame[name].to_numpy() for name in [*TRANSFORMS, "contract"]}
        ds = tf.data.Dataset.from_tensor_slices((features, labels))
        if shuffle:
            ds = ds.shuffle(len(frame), seed=self.seed)
        return (
            ds.map(self.encode, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
            .batch(self.batch_size)
            .prefetch(tf.data.AUTOTUNE)
        )


def build():
    inputs = {name: tf.keras.Input((), name=name) for name in TRANSFORMS}
    inputs["contract"] = tf.keras.Input((3,), name="contract")
    dense = tf.stack([inputs[name] for name in TRANSFORMS], axis=-1)
    x = tf.keras.layers.Concatenate()([dense, inputs["contract"]])
    x = tf.keras.layers.Dense(32, activation="relu")(x)
    x = tf.keras.layers.Dropout(0.2)(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(x))


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv")
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO)

    frame = pd.read_csv(args.csv)
    frame["total_charges"] = pd.to_numeric(frame["total_charges"], errors="coerce").fillna(0)
    pipeline = ChurnPipeline(frame)
    train, held = pipeline.split()
    model = build()
    model.compile("adam", "binary_crossentropy", metrics=[tf.keras.metrics.AUC()])
    model.fit(pipeline.dataset(train, True), validation_data=pipeline.dataset(held, False), epochs=args.epochs)
    log.info("AUC on held-out customers: %.4f", model.evaluate(pipeline.dataset(held, False))[1])


if __name__ == "__main__":
    main()
