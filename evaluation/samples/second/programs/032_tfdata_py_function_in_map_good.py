import argparse
from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf


@dataclass(frozen=True)
class DataCfg:
    pattern: str
    size: int = 260
    batch: int = 64
    classes: tuple = ("ok", "scratch", "dent", "stain")


MEAN = np.array([0.485, 0.456, 0.406], "float32")
STD = np.array([0.229, 0.224, 0.225], "float32")


class Surfaces:
    def __init__(self, cfg: DataCfg):
        self.cfg = cfg
        self.table = tf.constant(cfg.classes)

    def _label(self, path):
        name = tf.strings.split(path, "/")[-2]
        return tf.argmax(tf.cast(self.table == name, tf.int32), output_type=tf.int32)

    def _arr(self, img):
        s = self.cfg.size
        img = tf.image.resize(img, (s, s))
        img = (img / 255.0 - MEAN) / STD
        return tf.where(tf.reduce_mean(img) < 0, img[:, ::-1], img)

    def _load(self, path):
        img = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        return self._arr(img), self._label(path)

    def build(self, training):
        ds = tf.data.Dataset.list_files(self.cfg.pattern, shuffle=training)
        ds = ds.map(self._load, num_parallel_calls=tf.data.AUTOTUNE)
        return ds.batch(self.cfg.batch, drop_remainder=training).prefetch(tf.data.AUTOTUNE)


def classifier(cfg):
    base = keras.applications.EfficientNetV2B2(include_top=False, pooling="avg", include_preprocessing=False)
    out = keras.layers.Dense(len(cfg.classes))(base.output)
    return keras.Model(base.input, out)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--train", default="/data/steel/train/*/*.jpg")
    ap.add_argument("--val", default="/data/steel/val/*/*.jpg")
    ap.add_argument("--epochs", type=int, default=25)
    args = ap.parse_args()
    cfg = DataCfg(args.train)
    net = classifier(cfg)
    net.compile(
        optimizer=keras.optimizers.AdamW(2e-4),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    net.fit(
        Surfaces(cfg).build(True),
        validation_data=Surfaces(DataCfg(args.val)).build(False),
        epochs=args.epochs,
        callbacks=[keras.callbacks.ModelCheckpoint("steel.keras", save_best_only=True)],
    )


if __name__ == "__main__":
    main()
