# -*- coding: utf-8 -*-
"""Sentiment of reviews: text in, one number out."""
from __future__ import annotations

import csv
import sys
from pathlib import Path

import tensorflow as tf
from tensorflow import data as tfd
from tensorflow import keras
from tensorflow.keras import layers

WORDS = 20000


def rows(file: Path):
    with file.open(newline="", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            yield row["text"], float(row["stars"])


def clean(text, stars):
    text = tf.strings.lower(text)
    text = tf.strings.regex_replace(text, "<br />", " ")
    return tf.strings.regex_replace(text, r"[^a-z ]", ""), stars


class Reviews:
    def __init__(self, folder: Path, batch: int = 64):
        self.folder, self.batch = folder, batch
        self.vectorize = layers.TextVectorization(max_tokens=WORDS, output_sequence_length=200)
        self.lookup = layers.StringLookup(vocabulary=self.folder / "words.txt")
        self.vectorize.adapt(self.raw("train").map(lambda text, _: text).batch(256))

    def raw(self, split: str) -> tfd.Dataset:
        lines = list(rows(self.folder / f"{split}.csv"))
        return tfd.Dataset.from_tensor_slices(([t for t, _ in lines], [s for _, s in lines]))

    def dataset(self, split: str) -> tfd.Dataset:
        result = self.raw(split).cache()
        result = result.map(clean, num_parallel_calls=tfd.AUTOTUNE)  # finding: map-before-batch
        result = result.map(self.encode, tfd.AUTOTUNE)  # finding: map-before-batch
        return result.shuffle(1024).batch(self.batch).prefetch(tfd.AUTOTUNE)

    def encode(self, text, stars):
        return self.vectorize(text), stars / 5.0

    def ragged(self, split: str) -> tfd.Dataset:
        def tokens(text, stars):
            return self.lookup(tf.strings.split(text)), stars

        result = self.raw(split).map(tokens, num_parallel_calls=tfd.AUTOTUNE)
        return result.padded_batch(self.batch, ([None], [])).prefetch(tfd.AUTOTUNE)

    def files(self) -> tfd.Dataset:
        names = tfd.Dataset.list_files(str(self.folder / "unlabelled" / "*.txt"))
        texts = names.map(tf.io.read_file, num_parallel_calls=tfd.AUTOTUNE)
        return texts.batch(self.batch).map(self.vectorize, tfd.AUTOTUNE).prefetch(tfd.AUTOTUNE)


def network(masked: bool) -> keras.Model:
    model = keras.Sequential([
        layers.Embedding(WORDS + 2, 64, mask_zero=masked),
        layers.Bidirectional(layers.LSTM(32)),
        layers.Dense(1, "sigmoid"),
    ])
    model.compile("adam", "mae")
    return model


def main(folder: str) -> None:
    reviews = Reviews(Path(folder))
    model = network(masked=False)
    model.fit(reviews.dataset("train"), validation_data=reviews.dataset("test"), epochs=4)
    padded = network(masked=True)
    padded.fit(reviews.ragged("train"), validation_data=reviews.ragged("test"), epochs=4)
    print(model.predict(reviews.files()).mean())


if __name__ == "__main__":
    main(sys.argv[1])
