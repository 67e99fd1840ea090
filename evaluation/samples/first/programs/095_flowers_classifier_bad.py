"""Flower classifier on a small labelled folder."""
import argparse
from dataclasses import dataclass
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers

AUTO = tf.data.AUTOTUNE


@dataclass
class Config:
    size: int = 224
    batch: int = 64
    epochs: int = 30
    lr: float = 3e-4


def load(path, label):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    image = tf.image.resize(image, [224, 224], antialias=True)
    return tf.cast(image, tf.uint8), label


def augment(image, label):
    image = tf.image.random_flip_left_right(tf.cast(image, tf.float32))
    image = tf.image.random_brightness(image, 20.0)
    image = tf.pad(image, [[12, 12], [12, 12], [0, 0]], mode="REFLECT")
    return tf.image.random_crop(image, [224, 224, 3]), label


def to_float(image, label):
    return tf.cast(image, tf.float32), label


class Flowers:
    def __init__(self, root, cfg):
        self.cfg = cfg
        self.names = sorted(d.name for d in (root / "train").iterdir())
        self.root = root

    def listing(self, split):
        files, labels = [], []
        for k, name in enumerate(self.names):
            here = sorted(str(f) for f in (self.root / split / name).glob("*.jpg"))
            files += here
            labels += [k] * len(here)
        return files, labels

    def dataset(self, split, training):
        files, labels = self.listing(split)
        ds = tf.data.Dataset.from_tensor_slices((files, labels))
        ds = ds.map(load, num_parallel_calls=AUTO)
        if training:
            ds = ds.shuffle(2000).map(augment, num_parallel_calls=AUTO)
        else:
            ds = ds.map(to_float, num_parallel_calls=AUTO)
        return ds.batch(self.cfg.batch, drop_remainder=training).prefetch(AUTO)


def classifier(classes):
    base = keras.applications.EfficientNetV2B0(include_top=False, pooling="avg")
    inp = keras.Input((224, 224, 3))
    x = layers.Dropout(0.3)(base(inp))
    return keras.Model(inp, layers.Dense(classes, activation="softmax", dtype="float32")(x))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    args = p.parse_args()
    cfg = Config()
    keras.mixed_precision.set_global_policy("mixed_float16")
    data = Flowers(args.root, cfg)
    model = classifier(len(data.names))
    model.compile(keras.optimizers.Adam(cfg.lr), "sparse_categorical_crossentropy",
                  metrics=["accuracy"], steps_per_execution=8)
    model.fit(data.dataset("train", True), validation_data=data.dataset("val", False),
              epochs=cfg.epochs,
              callbacks=[keras.callbacks.EarlyStopping(patience=5,
                                                       restore_best_weights=True)])
    model.save("flowers.keras")


if __name__ == "__main__":
    main()
