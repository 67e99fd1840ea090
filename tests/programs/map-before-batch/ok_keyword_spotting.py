# requires: tensorflow==2.11.*
"""Keyword spotting: clips of different length are cut or padded to a second, one by one."""

import pathlib

import numpy as np
import tensorflow as tf

RATE = 16_000
WORDS = ["yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go"]


def decode(path):
    audio, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
    return tf.squeeze(audio, axis=-1)


def fix_length(wave):
    wave = wave[:RATE]
    missing = RATE - tf.shape(wave)[0]
    return tf.concat([wave, tf.zeros([missing], tf.float32)], axis=0)


def label_of(path):
    word = tf.strings.split(path, "/")[-2]
    return tf.argmax(tf.cast(word == tf.constant(WORDS), tf.int32))


def shift(wave, label):
    by = tf.random.uniform([], -RATE // 10, RATE // 10, dtype=tf.int32)
    return tf.roll(wave, by, axis=0), label


def spectrogram(waves, labels):
    spec = tf.abs(tf.signal.stft(waves, frame_length=255, frame_step=128))
    return tf.math.log(spec[..., tf.newaxis] + 1e-6), labels


def load(path):
    return fix_length(decode(path)), label_of(path)


def pipeline(paths, batch_size=64, training=False):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(load, num_parallel_calls=tf.data.AUTOTUNE).cache()
    if training:
        ds = ds.shuffle(len(paths))
        ds = ds.map(shift, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(batch_size)
    ds = ds.map(spectrogram, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.prefetch(tf.data.AUTOTUNE)


def build(sample):
    norm = tf.keras.layers.Normalization()
    norm.adapt(sample)
    return tf.keras.Sequential([
        tf.keras.layers.Input(sample.shape[1:]),
        tf.keras.layers.Resizing(32, 32),
        norm,
        tf.keras.layers.Conv2D(32, 3, activation="relu"),
        tf.keras.layers.Conv2D(64, 3, activation="relu"),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Dropout(0.25),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(128, activation="relu"),
        tf.keras.layers.Dense(len(WORDS)),
    ])


if __name__ == "__main__":
    files = [str(p) for word in WORDS for p in pathlib.Path("speech", word).glob("*.wav")]
    np.random.default_rng(0).shuffle(files)
    cut = int(len(files) * 0.9)
    train, valid = pipeline(files[:cut], training=True), pipeline(files[cut:])
    sample, _ = next(iter(train))
    model = build(sample)
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    model.fit(train, validation_data=valid, epochs=20)
