"""Trains on recordings that are decoded and augmented on the way to the model."""

import tempfile
from pathlib import Path

import tensorflow as tf
from sibling_recordings import Recordings


def write_recordings(folder, count):
    for number in range(count):
        tone = tf.sin(tf.linspace(0.0, 40.0 + number, 4000))
        wav = tf.audio.encode_wav(tone[:, tf.newaxis], sample_rate=8000)
        tf.io.write_file(str(Path(folder) / f"{number}.wav"), wav)


def main():
    tf.random.set_seed(8)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)]
    )
    model.compile("adam", "mse")
    with tempfile.TemporaryDirectory() as folder:
        write_recordings(folder, 24)
        history = model.fit(Recordings(folder).batches(6), epochs=2, verbose=0)
    return history.history["loss"]


if __name__ == "__main__":
    print(main())
