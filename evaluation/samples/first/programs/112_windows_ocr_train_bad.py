# /// script
# requires-python = "==3.10.*"
# dependencies = ["tensorflow==2.10.1", "numpy<2"]
# ///
"""Licence plate reader; runs on the Windows workstations (last native GPU build)."""
import argparse
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
H, W, MAX_LEN = 64, 256, 10


def labels_of(files):
    table = {c: k for k, c in enumerate(CHARS)}
    out = np.full((len(files), MAX_LEN), -1, np.int32)
    for row, f in zip(out, files):
        code = [table[c] for c in f.stem.split("_")[0][:MAX_LEN]]
        row[: len(code)] = code
    return out


def read(path, label):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=1)
    image = tf.image.resize(image, [H, W]) / 255.0
    image = tf.image.random_contrast(image, 0.7, 1.3)
    return image, label


def input_pipeline(folder, batch):
    files = sorted(folder.glob("*.jpg"))
    ds = tf.data.Dataset.from_tensor_slices(([str(f) for f in files], labels_of(files)))
    ds = ds.shuffle(len(files))
    ds = ds.map(read, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch, drop_remainder=True)


def build():
    inp = keras.Input((H, W, 1))
    x = inp
    for filters, pool in ((64, (2, 2)), (128, (2, 2)), (256, (2, 1)), (512, (2, 1))):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
        x = layers.MaxPooling2D(pool)(x)
    x = layers.Reshape((W // 4, 4 * 512))(layers.Permute((2, 1, 3))(x))
    x = layers.Bidirectional(layers.LSTM(256, return_sequences=True))(x)
    return keras.Model(inp, layers.Dense(len(CHARS) + 1, dtype="float32")(x))


class Reader:
    def __init__(self, lr):
        self.net = build()
        base = keras.optimizers.Adam(lr)
        self.opt = keras.mixed_precision.LossScaleOptimizer(base)
        self.mean = keras.metrics.Mean()

    @tf.function
    def step(self, images, labels):
        lengths = tf.reduce_sum(tf.cast(labels >= 0, tf.int32), axis=1)
        frames = tf.fill([tf.shape(images)[0]], W // 4)
        with tf.GradientTape() as tape:
            logits = self.net(images, training=True)
            loss = tf.reduce_mean(tf.nn.ctc_loss(
                tf.maximum(labels, 0), logits, lengths, frames,
                logits_time_major=False, blank_index=len(CHARS)))
            scaled = self.opt.get_scaled_loss(loss)
        grads = tape.gradient(scaled, self.net.trainable_variables)
        grads = self.opt.get_unscaled_gradients(grads)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        self.mean.update_state(loss)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("images", type=Path)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--epochs", type=int, default=20)
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_float16")
    reader = Reader(1e-3)
    ds = input_pipeline(args.images, args.batch)
    for epoch in range(args.epochs):
        reader.mean.reset_state()
        for images, labels in ds:
            reader.step(images, labels)
        print(epoch, float(reader.mean.result()))
    reader.net.save("plates.h5")


if __name__ == "__main__":
    main()
