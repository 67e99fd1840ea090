# requires: tensorflow==2.13.0
"""Train on simulated spectra. `map` and `batch` are often not those of tf.data."""
from __future__ import annotations

import itertools
from typing import Callable, Iterable, Iterator

import numpy as np
import tensorflow as tf
from datasets import load_dataset
from scipy import signal


class Stream:
    """A lazy chain over an iterable of arrays."""

    def __init__(self, items: Iterable):
        self.items = items

    def __iter__(self) -> Iterator:
        return iter(self.items)

    def map(self, fn: Callable) -> Stream:
        return Stream(fn(item) for item in self)

    def batch(self, size: int) -> Stream:
        def groups():
            items = iter(self)
            while group := list(itertools.islice(items, size)):
                yield np.stack(group)

        return Stream(groups())


def simulate(count: int, seed: int = 0) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    grid = np.linspace(400, 1800, 1024)
    for _ in range(count):
        centers = rng.uniform(500, 1700, size=rng.integers(3, 9))
        yield sum(np.exp(-(((grid - c) / 12.0) ** 2)) for c in centers)


def unit(spectrum):
    return spectrum / 4.0


def smooth(spectrum):
    return signal.savgol_filter(spectrum, 11, 3)


def simulated_batches(count: int, size: int) -> Stream:
    return Stream(simulate(count)).map(smooth).map(unit).batch(size)


def measured(path: str, size: int) -> tf.data.Dataset:
    """Measured spectra: smoothed by SciPy, scaled by their own peak, then batched."""

    def smoothed(spectrum):
        out = tf.numpy_function(smooth, [spectrum], tf.float64)
        out.set_shape((1024,))
        return out

    def by_peak(spectrum):
        peak = tf.reduce_max(spectrum)
        return spectrum / peak, tf.argmax(spectrum)

    rows = tf.data.Dataset.from_tensor_slices(np.load(path))
    rows = rows.map(smoothed, num_parallel_calls=tf.data.AUTOTUNE)
    return rows.map(by_peak).batch(size)


def shards(pattern: str, size: int) -> tf.data.Dataset:
    """Each file is one spectrum of raw bytes."""

    def raw(path):
        values = tf.io.decode_raw(tf.io.read_file(path), tf.float32)
        return values[:1024]

    return tf.data.Dataset.list_files(pattern).map(raw).batch(size)


def neighbours(dataset: tf.data.Dataset) -> list[float]:
    """How far each spectrum is from the average; nothing is batched here."""
    scaled = dataset.unbatch().map(unit)
    mean = scaled.reduce(tf.zeros(1024), lambda total, s: total + s)
    return [float(tf.norm(s - mean)) for s in scaled.take(100)]


def notes_of_users(size: int):
    notes = load_dataset("csv", data_files="notes.csv", split="train")
    notes = notes.map(lambda rows: {"length": [len(t) for t in rows["text"]]}, batched=True)
    return notes.to_tf_dataset(columns="length", batch_size=size)


def network() -> tf.keras.Model:
    return tf.keras.Sequential(
        [
            tf.keras.layers.Reshape((1024, 1)),
            tf.keras.layers.Conv1D(16, 9, activation="relu"),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(1),
        ]
    )


def main() -> None:
    model = network()
    model.compile("adam", "mse")
    for spectra in simulated_batches(20_000, 128):
        model.train_on_batch(spectra, spectra.max(axis=1))
    model.fit(measured("spectra.npy", 128), epochs=5)
    raw = shards("raw/*.bin", 128)
    print(np.mean(neighbours(raw)))
    print(next(iter(notes_of_users(256))))


if __name__ == "__main__":
    main()
