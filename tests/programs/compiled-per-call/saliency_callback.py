# requires: tensorflow==2.10.*
"""Chest x-ray classifier (Kaggle) with a callback that logs saliency and input gradients."""
import os

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

IMG = 224
AUTOTUNE = tf.data.AUTOTUNE
DATA = "/kaggle/input/chest-xray"


def parse(path, label):
    raw = tf.io.read_file(path)
    img = tf.io.decode_jpeg(raw, channels=3)
    img = tf.image.resize(img, (IMG, IMG)) / 255.0
    return img, label


def dataset(frame, batch, shuffle):
    ds = tf.data.Dataset.from_tensor_slices((frame.path.values, frame.label.values.astype("float32")))
    if shuffle is not None:
        ds = ds.shuffle(shuffle)
    return ds.map(parse, num_parallel_calls=AUTOTUNE).batch(batch).prefetch(AUTOTUNE)


def build():
    base = keras.applications.EfficientNetB0(include_top=False, input_shape=(IMG, IMG, 3), pooling="avg")
    out = layers.Dense(1, activation="sigmoid")(layers.Dropout(0.4)(base.output))
    return keras.Model(base.input, out)


class GradientNorm(keras.callbacks.Callback):
    """Writes the norm of the gradient with respect to a fixed batch after each training batch."""

    def __init__(self, images, labels, log_dir):
        super().__init__()
        self.images = tf.constant(images)
        self.labels = tf.constant(labels)
        self.writer = tf.summary.create_file_writer(log_dir)
        self.seen = 0

    def input_gradient(self):
        loss_fn = keras.losses.BinaryCrossentropy()

        @tf.function  # finding: compiled-per-call
        def grad(x, y):
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = loss_fn(y, self.model(x, training=False))
            return tape.gradient(loss, x)

        return grad(self.images, self.labels)

    def on_train_batch_end(self, batch, logs=None):
        self.seen += 1
        g = self.input_gradient()
        with self.writer.as_default():
            tf.summary.scalar("input_grad_norm", tf.norm(g), step=self.seen)


class SaliencyMaps(keras.callbacks.Callback):
    def __init__(self, images, folder):
        super().__init__()
        self.images = tf.constant(images)
        self.folder = folder
        self.compute = None

    def set_model(self, model):
        super().set_model(model)

        @tf.function
        def compute(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                out = model(x, training=False)
            return tf.reduce_max(tf.abs(tape.gradient(out, x)), axis=-1)

        self.compute = compute

    def on_epoch_end(self, epoch, logs=None):
        maps = self.compute(self.images).numpy()
        np.save(os.path.join(self.folder, f"saliency_{epoch:03d}.npy"), maps)


def main():
    frame = pd.read_csv(os.path.join(DATA, "train.csv"))
    frame["path"] = DATA + "/images/" + frame["image"]
    train, valid = frame.iloc[:-800], frame.iloc[-800:]
    images, labels = next(iter(dataset(valid, 16, None)))
    model = build()
    model.compile(keras.optimizers.Adam(2e-4), "binary_crossentropy", metrics=[keras.metrics.AUC()])
    model.fit(
        dataset(train, 32, 1024),
        validation_data=dataset(valid, 32, None),
        epochs=8,
        callbacks=[
            GradientNorm(images, labels, "logs/grad"),
            SaliencyMaps(images, "saliency"),
            keras.callbacks.ModelCheckpoint("best.h5", save_best_only=True),
        ],
    )


if __name__ == "__main__":
    main()
