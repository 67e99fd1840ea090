# requires: tensorflow==2.12.*
"""Kaggle: right whale calls. Spectrograms with librosa, mixed up at random."""
import random

import librosa
import numpy as np
import pandas as pd
import tensorflow as tf


class CFG:
    root = "../input/whale-detection-challenge/"
    seed = 1213
    rate = 2000
    n_mels = 64
    hop = 32
    frames = 126
    batch_size = 64
    epochs = 20
    lr = 2e-4


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)


def spectrogram(path):
    wave, _ = librosa.load(path.decode("utf-8"), sr=CFG.rate)
    mel = librosa.feature.melspectrogram(
        y=wave, sr=CFG.rate, n_mels=CFG.n_mels, hop_length=CFG.hop, n_fft=256
    )
    db = librosa.power_to_db(mel, ref=np.max).astype(np.float32)
    db = librosa.util.fix_length(db, size=CFG.frames, axis=1)
    return (db + 80.0) / 80.0


def load_item(path, label):
    image = tf.numpy_function(spectrogram, [path], tf.float32)
    image = tf.ensure_shape(image, (CFG.n_mels, CFG.frames))
    return image[..., tf.newaxis], tf.cast(label, tf.float32)


def mixup(one, two):
    (image_a, label_a), (image_b, label_b) = one, two
    weight = tf.random.uniform([])
    image = weight * image_a + (1 - weight) * image_b
    return image, weight * label_a + (1 - weight) * label_b


def make_dataset(frame, training):
    paths = (CFG.root + "train/" + frame["clip_name"]).values
    ds = tf.data.Dataset.from_tensor_slices((paths, frame["label"].values))
    ds = ds.map(load_item).cache()  # finding: serial-map
    if training:
        ds = tf.data.Dataset.zip((ds.shuffle(4096), ds.shuffle(4096)))
        ds = ds.map(mixup, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(CFG.batch_size).prefetch(tf.data.AUTOTUNE)


def build():
    inputs = tf.keras.Input((CFG.n_mels, CFG.frames, 1))
    x = tf.keras.layers.Concatenate()([inputs] * 3)
    x = tf.keras.applications.EfficientNetB0(include_top=False, weights="imagenet")(x)
    x = tf.keras.layers.GlobalAveragePooling2D()(x)
    outputs = tf.keras.layers.Dense(1, activation="sigmoid")(x)
    model = tf.keras.Model(inputs, outputs)
    model.compile(tf.keras.optimizers.Adam(CFG.lr), "binary_crossentropy", metrics=["AUC"])
    return model


def run():
    seed_everything(CFG.seed)
    frame = pd.read_csv(CFG.root + "train.csv").sample(frac=1.0, random_state=CFG.seed)
    cut = int(len(frame) * 0.8)
    train, valid = frame[:cut], frame[cut:]
    model = build()
    model.fit(
        make_dataset(train, True),
        validation_data=make_dataset(valid, False),
        epochs=CFG.epochs,
    )
    model.save_weights("whales.h5")


if __name__ == "__main__":
    run()
