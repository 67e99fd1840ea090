# requires: tensorflow==2.4.*
"""Bird call recognition: baseline with an EfficientNet on mel spectrograms."""
import os
import random
from dataclasses import dataclass, field
from typing import List

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import StratifiedKFold

AUTO = tf.data.experimental.AUTOTUNE


@dataclass
class CFG:
    data_dir: str = "../input/birdsong-recognition"
    sample_rate: int = 32000
    seconds: int = 5
    n_mels: int = 128
    frame: int = 2048
    hop: int = 512
    batch_size: int = 32
    epochs: int = 25
    folds: int = 5
    seed: int = 1213
    augment: List[str] = field(default_factory=lambda: ["gain", "noise", "mask"])
    cache: bool = False


def seed_everything(seed):
    os.environ["PYTHONHASHSEED"] = str(seed)
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)


def random_gain(wave, label):
    return wave * tf.random.uniform([], 0.7, 1.3), label


def add_noise(wave, label):
    level = tf.random.uniform([], 0.0, 0.01)
    return wave + level * tf.random.normal(tf.shape(wave)), label


def mask_time(wave, label):
    length = tf.shape(wave)[0]
    width = tf.random.uniform([], 0, length // 8, dtype=tf.int32)
    start = tf.random.uniform([], 0, length - width, dtype=tf.int32)
    keep = tf.concat([tf.ones([start]), tf.zeros([width]), tf.ones([length - start - width])], 0)
    return wave * keep, label


AUGMENTATIONS = {
    "gain": random_gain,
    "noise": add_noise,
    "mask": mask_time,
}


class BirdCalls:
    """Datasets of fixed-length pieces of recordings."""

    def __init__(self, cfg):
        self.cfg = cfg
        self.length = cfg.sample_rate * cfg.seconds
        self.mel = tf.signal.linear_to_mel_weight_matrix(
            cfg.n_mels, cfg.frame // 2 + 1, cfg.sample_rate, 20.0, 16000.0
        )

    def _read(self, path, label):
        wave, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
        wave = tf.squeeze(wave, -1)
        wave = wave[: self.length]
        wave = tf.pad(wave, [[0, self.length - tf.shape(wave)[0]]])
        return wave, label

    def _spectrogram(self, waves, labels):
        stft = tf.signal.stft(waves, self.cfg.frame, self.cfg.hop)
        mel = tf.matmul(tf.abs(stft) ** 2, self.mel)
        image = tf.math.log(mel + 1e-6)
        return tf.repeat(image[..., tf.newaxis], 3, axis=-1), labels

    def build(self, frame, training):
        paths = frame.path.values
        labels = frame.label.values.astype("int32")
        ds = tf.data.Dataset.from_tensor_slices((paths, labels))
        if training:
            ds = ds.shuffle(len(frame), seed=self.cfg.seed)
        ds = ds.map(self._read)  # finding: serial-map
        if self.cfg.cache:
            ds = ds.cache()
        if training:
            for name in self.cfg.augment:
                ds = ds.map(AUGMENTATIONS[name])  # note: serial-map
        ds = ds.batch(self.cfg.batch_size, drop_remainder=training)
        ds = ds.map(self._spectrogram, num_parallel_calls=AUTO)
        return ds.prefetch(AUTO)


def build_model(classes):
    backbone = tf.keras.applications.EfficientNetB0(include_top=False, weights="imagenet", pooling="avg")
    inputs = tf.keras.Input((None, 128, 3))
    x = backbone(inputs)
    x = tf.keras.layers.Dropout(0.4)(x)
    outputs = tf.keras.layers.Dense(classes, activation="softmax")(x)
    model = tf.keras.Model(inputs, outputs)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(1e-3),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    return model


def run_fold(cfg, fold, train, valid, classes):
    data = BirdCalls(cfg)
    model = build_model(classes)
    model.fit(
        data.build(train, training=True),
        validation_data=data.build(valid, training=False),
        epochs=cfg.epochs,
        callbacks=[
            tf.keras.callbacks.ModelCheckpoint(f"fold{fold}.h5", save_best_only=True),
            tf.keras.callbacks.ReduceLROnPlateau(patience=2),
        ],
        verbose=2,
    )


if __name__ == "__main__":
    cfg = CFG()
    seed_everything(cfg.seed)
    df = pd.read_csv(f"{cfg.data_dir}/train.csv")
    df["path"] = cfg.data_dir + "/wav/" + df.ebird_code + "/" + df.filename
    df["label"] = df.ebird_code.astype("category").cat.codes
    splitter = StratifiedKFold(cfg.folds, shuffle=True, random_state=cfg.seed)
    for fold, (a, b) in enumerate(splitter.split(df, df.label)):
        run_fold(cfg, fold, df.iloc[a], df.iloc[b], df.label.nunique())
