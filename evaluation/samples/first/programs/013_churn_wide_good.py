"""Customer churn model on tabular features."""
import argparse

import keras
import pandas as pd
import tensorflow as tf
from keras import layers

NUMERIC = ["tenure", "monthly", "total", "tickets", "logins_30d", "discount"]
CATEGORIES = {"plan": 12, "region": 40, "channel": 8}


class ChurnTable:
    def __init__(self, path):
        df = pd.read_parquet(path)
        self.numeric = df[NUMERIC].to_numpy("float32")
        self.numeric = (self.numeric - self.numeric.mean(0)) / (self.numeric.std(0) + 1e-6)
        self.codes = df[list(CATEGORIES)].to_numpy("int32")
        self.labels = df["churned"].to_numpy("float32")

    def dataset(self, batch_size, training):
        features = {"numeric": self.numeric, "codes": self.codes}
        ds = tf.data.Dataset.from_tensor_slices((features, self.labels))
        if training:
            ds = ds.shuffle(200_000)
        return ds.batch(batch_size).prefetch(tf.data.AUTOTUNE)


def wide_model(units=(512, 256, 64), emb=16):
    numeric = keras.Input((len(NUMERIC),), name="numeric")
    codes = keras.Input((len(CATEGORIES),), dtype="int32", name="codes")
    parts = [numeric]
    for i, (name, size) in enumerate(CATEGORIES.items()):
        parts.append(layers.Embedding(size, emb, name=f"emb_{name}")(codes[:, i]))
    x = layers.concatenate(parts)
    for u in units:
        x = layers.Dense(u, activation="relu")(x)
        x = layers.Dropout(0.2)(x)
    return keras.Model({"numeric": numeric, "codes": codes}, layers.Dense(1)(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--train", required=True)
    ap.add_argument("--valid", required=True)
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--batch-size", type=int, default=4096)
    args = ap.parse_args()

    train = ChurnTable(args.train).dataset(args.batch_size, True)
    valid = ChurnTable(args.valid).dataset(args.batch_size, False)
    model = wide_model()
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss=keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.AUC(from_logits=True)],
        jit_compile=True,
    )
    model.fit(train, validation_data=valid, epochs=args.epochs, verbose=2)
    model.save("churn.keras")


if __name__ == "__main__":
    main()
