# requires: tensorflow==2.10.*
"""Sleep stages from EEG: epochs of 30 s, kept as NumPy files per night."""
import glob
import os
from collections import namedtuple

import numpy as np
import tensorflow as tf

Night = namedtuple("Night", "signals stages")
STAGES = ["W", "N1", "N2", "N3", "REM"]
CLIP = 250.0


def load(path):
    with np.load(path) as content:
        return Night(content["signals"].astype("float32"), content["stages"].astype("int64"))


def load_all(folder):
    nights = [load(path) for path in sorted(glob.glob(os.path.join(folder, "*.npz")))]
    return np.concatenate([n.signals for n in nights]), np.concatenate([n.stages for n in nights])


class Pipeline:
    """Chain of named steps, each applied with `map`."""

    def __init__(self, mean, std):
        self.mean = mean
        self.std = std
        self.registry = {
            "clip": self.clip,
            "standardise": self.standardise,
            "band_power": self.band_power,
            "jitter": self.jitter,
        }

    def clip(self, signal, stage):
        return tf.clip_by_value(signal, -CLIP, CLIP), stage

    def standardise(self, signal, stage):
        return (signal - self.mean) / self.std, stage

    def band_power(self, signal, stage):
        spectrum = tf.signal.rfft(signal)
        return tf.math.log1p(tf.abs(spectrum)), stage

    def jitter(self, signal, stage):
        return signal + tf.random.normal([1], stddev=0.05), stage


def one_hot(signal, stage):
    return signal, tf.one_hot(stage, len(STAGES))


def training_batches(signals, stages, pipeline, batch_size=64):
    dataset = tf.data.Dataset.from_tensor_slices((signals, stages))
    dataset = dataset.shuffle(20000)
    dataset = dataset.map(pipeline.registry["jitter"], num_parallel_calls=4)
    dataset = dataset.map(pipeline.registry["clip"], num_parallel_calls=4)  # finding: map-before-batch
    dataset = dataset.map(one_hot, num_parallel_calls=4)  # finding: map-before-batch
    return dataset.batch(batch_size).prefetch(2)


def spectra(signals, stages, pipeline, batch_size=64):
    dataset = tf.data.Dataset.from_tensor_slices((signals, stages))
    for name in ("clip", "standardise", "band_power"):
        dataset = dataset.map(pipeline.registry[name])  # finding: map-before-batch
    return dataset.batch(batch_size)


def network(length):
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((length,)),
            tf.keras.layers.Reshape((length, 1)),
            tf.keras.layers.Conv1D(32, 49, strides=6, activation="relu"),
            tf.keras.layers.MaxPool1D(8),
            tf.keras.layers.Conv1D(64, 7, activation="relu"),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(len(STAGES), activation="softmax"),
        ]
    )


def main():
    signals, stages = load_all("data/train")
    pipeline = Pipeline(float(signals.mean()), float(signals.std()))
    model = network(signals.shape[1])
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    model.fit(training_batches(signals, stages, pipeline), epochs=40)
    model.save("stages")
    total = 0.0
    for batch, _ in spectra(signals, stages, pipeline):
        total = total + tf.reduce_sum(batch, axis=0)
    np.save("mean_spectrum.npy", total / len(stages))


if __name__ == "__main__":
    main()
