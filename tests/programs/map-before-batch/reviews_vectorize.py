# requires: tensorflow==2.15.*
"""Sentiment of product reviews; the reviews come from a pandas frame."""
import argparse
import pathlib
import re
import string

import pandas as pd
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

MAX_TOKENS = 20_000
LENGTH = 200


def clean(text):
    lowered = tf.strings.lower(text)
    no_tags = tf.strings.regex_replace(lowered, "<br />", " ")
    return tf.strings.regex_replace(no_tags, f"[{re.escape(string.punctuation)}]", "")


class ReviewData:
    def __init__(self, csv_path, batch_size=64, seed=11):
        frame = pd.read_csv(csv_path).sample(frac=1.0, random_state=seed)
        cut = int(len(frame) * 0.8)
        self.train_frame = frame.iloc[:cut]
        self.valid_frame = frame.iloc[cut:]
        self.batch_size = batch_size
        self.vectorizer = layers.TextVectorization(
            standardize=clean,
            max_tokens=MAX_TOKENS,
            output_mode="int",
            output_sequence_length=LENGTH,
        )
        self.vectorizer.adapt(self.train_frame["review"].to_numpy())

    def _dataset(self, frame):
        texts = frame["review"].to_numpy()
        labels = frame["stars"].to_numpy() > 3
        return tf.data.Dataset.from_tensor_slices((texts, labels))

    def encode(self, text, label):
        return self.vectorizer(text), label

    def training(self):
        ds = self._dataset(self.train_frame)
        ds = ds.map(self.encode, num_parallel_calls=tf.data.AUTOTUNE)  # note: map-before-batch
        ds = ds.cache()
        ds = ds.shuffle(20_000)
        return ds.batch(self.batch_size).prefetch(tf.data.AUTOTUNE)

    def validation(self):
        ds = self._dataset(self.valid_frame).batch(self.batch_size)
        ds = ds.map(self.encode, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.cache().prefetch(tf.data.AUTOTUNE)


def build_model():
    inputs = keras.Input(shape=(LENGTH,), dtype="int64")
    x = layers.Embedding(MAX_TOKENS, 128)(inputs)
    x = layers.Dropout(0.5)(x)
    x = layers.Conv1D(128, 7, strides=3, activation="relu")(x)
    x = layers.Conv1D(128, 7, strides=3, activation="relu")(x)
    x = layers.GlobalMaxPooling1D()(x)
    x = layers.Dense(128, activation="relu")(x)
    x = layers.Dropout(0.5)(x)
    outputs = layers.Dense(1, activation="sigmoid")(x)
    model = keras.Model(inputs, outputs)
    model.compile("adam", "binary_crossentropy", metrics=["accuracy", keras.metrics.AUC()])
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("export"))
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    data = ReviewData(args.csv)
    model = build_model()
    model.fit(
        data.training(),
        validation_data=data.validation(),
        epochs=args.epochs,
        callbacks=[keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True)],
    )
    end_to_end = keras.Sequential([keras.Input((), dtype="string"), data.vectorizer, model])
    end_to_end.export(str(args.out))


if __name__ == "__main__":
    main()
