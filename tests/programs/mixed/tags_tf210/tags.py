import dataclasses
import glob
import random

import librosa
import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class Config:
    seconds: float = 4.0
    rate: int = 22050
    batch: int = 32
    augment: bool = True


def load(path):
    audio, _ = librosa.load(path.decode(), sr=22050, duration=4.0)
    return np.pad(audio, (0, 88200 - len(audio))).astype(np.float32)


def load_tf(path, tag):
    audio = tf.numpy_function(load, [path], tf.float32)
    audio.set_shape([88200])
    return audio, tag


def noise(audio, tag):
    return audio + tf.random.normal(tf.shape(audio), stddev=0.01), tag


def spectrogram(audio, tag):
    s = tf.signal.stft(audio, 1024, 256)
    return tf.math.log(tf.abs(s) + 1e-5), tag


def gain(audio, tag):
    return tf.clip_by_value(audio * 1.4, -1.0, 1.0), tag


def datasets(config):
    paths = sorted(glob.glob("clips/*/*.wav"))
    tags = [int(p.split("/")[1]) for p in paths]
    ds = tf.data.Dataset.from_tensor_slices((paths, tags)).shuffle(len(paths))
    ds = ds.map(load_tf)  # finding: serial-map
    ds = ds.map(gain)
    if config.augment:
        ds = ds.map(noise)  # finding: serial-map
    ds = ds.map(spectrogram)
    return ds.batch(config.batch).prefetch(tf.data.AUTOTUNE)


def cached(config):
    paths = sorted(glob.glob("clips/*/*.wav"))
    tags = [int(p.split("/")[1]) for p in paths]
    ds = tf.data.Dataset.from_tensor_slices((paths, tags))
    ds = ds.map(load_tf, num_parallel_calls=tf.data.AUTOTUNE).cache("cache")
    return ds.batch(config.batch).map(spectrogram)


def main():
    config = Config()
    random.seed(0)
    model = tf.keras.Sequential(
        [tf.keras.layers.Conv1D(64, 5, activation="relu"), tf.keras.layers.GlobalMaxPool1D(), tf.keras.layers.Dense(10)]
    )
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(True))
    model.fit(datasets(config), epochs=20, validation_data=cached(config))


if __name__ == "__main__":
    main()
