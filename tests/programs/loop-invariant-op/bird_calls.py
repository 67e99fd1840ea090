# requires: tensorflow==2.8.*
"""Trains a classifier of bird calls on spectrograms that a generator makes."""

import csv
import pathlib
import random
from typing import NamedTuple

import tensorflow as tf


class Config(NamedTuple):
    rate: int = 32000
    frame: int = 1024
    step: int = 320
    bands: int = 128
    low: float = 150.0
    high: float = 15000.0
    batch: int = 32


def filters(config):
    return tf.signal.linear_to_mel_weight_matrix(  # note: loop-invariant-op
        config.bands, config.frame // 2 + 1, config.rate, config.low, config.high
    )


def log_mel(wave, config):
    spectrum = tf.abs(tf.signal.stft(wave, config.frame, config.step))
    mel = tf.matmul(spectrum, filters(config))
    return tf.math.log(mel + 1e-6)


class Recordings:
    def __init__(self, folder, config):
        self.folder = pathlib.Path(folder)
        self.config = config
        with open(self.folder / "labels.csv") as file:
            self.rows = [(row["file"], row["species"]) for row in csv.DictReader(file)]
        self.species = sorted({species for _, species in self.rows})

    def load(self, name):
        wave, _ = tf.audio.decode_wav(tf.io.read_file(str(self.folder / name)), 1)
        wave = wave[: self.config.rate * 10, 0]
        return tf.pad(wave, [[0, self.config.rate * 10 - tf.shape(wave)[0]]])

    def examples(self, rows):
        for name, species in rows:
            yield log_mel(self.load(name), self.config)[..., None], self.species.index(species)

    def dataset(self, rows):
        signature = (
            tf.TensorSpec([None, self.config.bands, 1], tf.float32),
            tf.TensorSpec([], tf.int32),
        )
        dataset = tf.data.Dataset.from_generator(
            lambda: self.examples(rows), output_signature=signature
        )
        return dataset.batch(self.config.batch).prefetch(2)


def build(n_species, bands):
    inputs = tf.keras.Input((None, bands, 1))
    x = inputs
    for filters_ in (32, 64, 128):
        x = tf.keras.layers.Conv2D(filters_, 3, activation="relu", padding="same")(x)
        x = tf.keras.layers.MaxPool2D()(x)
    x = tf.keras.layers.GlobalAveragePooling2D()(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(n_species)(x))


def main():
    config = Config()
    recordings = Recordings("birds", config)
    rows = list(recordings.rows)
    random.Random(0).shuffle(rows)
    split = len(rows) // 10
    model = build(len(recordings.species), config.bands)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    model.fit(
        recordings.dataset(rows[split:]),
        validation_data=recordings.dataset(rows[:split]),
        epochs=30,
    )
    model.save("birds")


if __name__ == "__main__":
    main()
