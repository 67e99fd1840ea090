"""Keyword spotting on one-second clips."""
import argparse
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers

RATE = 16_000
WORDS = ["yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go"]


def to_mel(wave):
    stft = tf.signal.stft(wave, 640, 320, fft_length=1024)
    mel = tf.signal.linear_to_mel_weight_matrix(64, 513, RATE, 60.0, 7600.0)
    return tf.math.log(tf.abs(stft) @ mel + 1e-6)[..., tf.newaxis]


def load_clip(path, label):
    wave, _ = tf.audio.decode_wav(tf.io.read_file(path), 1, RATE)
    return to_mel(tf.reshape(wave, [RATE])), label


def mask(spec, label):
    width = tf.random.uniform([], 0, 10, tf.int32)
    start = tf.random.uniform([], 0, 64 - width, tf.int32)
    bins = tf.range(64)
    keep = tf.cast((bins < start) | (bins >= start + width), spec.dtype)
    return spec * keep[tf.newaxis, :, tf.newaxis], label


class ClipSource:
    def __init__(self, root, split, batch):
        self.files, self.labels = [], []
        for k, word in enumerate(WORDS):
            here = sorted(str(f) for f in (root / split / word).glob("*.wav"))
            self.files += here
            self.labels += [k] * len(here)
        self.batch = batch

    @property
    def steps(self):
        return len(self.files) // self.batch

    def training(self):
        ds = tf.data.Dataset.from_tensor_slices((self.files, self.labels))
        ds = ds.map(load_clip, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.cache().shuffle(4 * self.batch).repeat()
        ds = ds.map(mask, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.batch(self.batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)

    def evaluation(self):
        ds = tf.data.Dataset.from_tensor_slices((self.files, self.labels))
        ds = ds.map(load_clip, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.batch(256).cache().prefetch(tf.data.AUTOTUNE)


def build():
    inp = keras.Input((49, 64, 1))
    x = layers.Conv2D(64, (10, 4), strides=2, padding="same", activation="relu")(inp)
    for _ in range(4):
        x = layers.DepthwiseConv2D(3, padding="same", activation="relu")(x)
        x = layers.Conv2D(64, 1, activation="relu")(x)
        x = layers.BatchNormalization()(x)
    x = layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x))
    return keras.Model(inp, layers.Dense(len(WORDS), activation="softmax", dtype="float32")(x))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--batch", type=int, default=128)
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_float16")
    train = ClipSource(args.root, "train", args.batch)
    val = ClipSource(args.root, "val", args.batch)
    model = build()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"],
                  steps_per_execution=16)
    model.fit(train.training(), steps_per_epoch=train.steps, epochs=args.epochs,
              validation_data=val.evaluation(),
              callbacks=[keras.callbacks.EarlyStopping(patience=8)])
    model.save("kws.keras")


if __name__ == "__main__":
    main()
