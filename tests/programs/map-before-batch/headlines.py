# requires: tensorflow==2.15.*
"""Fake or real, from the headline alone; the lines hold label, tab, headline."""

import sys

import tensorflow as tf
from tensorflow.keras import layers

AUTO = tf.data.AUTOTUNE
PUNCTUATION = r"[^\w\s]"


def split_line(line):
    fields = tf.strings.split(line, "\t", maxsplit=1)
    return fields[1], fields[0]


def clean(text, label):
    text = tf.strings.lower(text, encoding="utf-8")
    text = tf.strings.regex_replace(text, PUNCTUATION, " ")
    text = tf.strings.strip(tf.strings.regex_replace(text, r"\s+", " "))
    return text, label


def binary(text, label):
    return text, tf.where(label == "fake", 1.0, 0.0)


class Headlines:
    def __init__(self, pattern, batch_size=256):
        self.files = tf.io.gfile.glob(pattern)
        self.batch_size = batch_size

    def rows(self):
        return tf.data.TextLineDataset(self.files, num_parallel_reads=4).map(split_line, num_parallel_calls=AUTO)

    def prepared(self):
        ds = self.rows()
        ds = ds.map(clean, AUTO)  # finding: map-before-batch
        ds = ds.map(binary, AUTO)  # finding: map-before-batch
        return ds

    def train(self):
        return self.prepared().shuffle(50_000).batch(self.batch_size).prefetch(AUTO)

    def texts(self):
        return self.rows().batch(1024).map(clean, AUTO).map(lambda text, label: text)


def build(vectorize):
    return tf.keras.Sequential([
        layers.Input((), dtype=tf.string),
        vectorize,
        layers.Embedding(len(vectorize.get_vocabulary()), 32),
        layers.GlobalAveragePooling1D(),
        layers.Dense(16, activation="relu"),
        layers.Dense(1, activation="sigmoid"),
    ])


if __name__ == "__main__":
    data = Headlines(sys.argv[1])
    vectorize = layers.TextVectorization(20_000, standardize=None, output_sequence_length=24)
    vectorize.adapt(data.texts())
    model = build(vectorize)
    model.compile("adam", "binary_crossentropy", metrics=["AUC"])
    model.fit(data.train(), epochs=10)
