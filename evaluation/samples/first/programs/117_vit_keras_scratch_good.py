"""Train a Vision Transformer on a folder of scans."""
import argparse
from dataclasses import dataclass
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers, ops


@dataclass
class VitConfig:
    size: int = 224
    patch: int = 16
    dim: int = 768
    depth: int = 12
    heads: int = 12
    batch: int = 128
    epochs: int = 100
    lr: float = 1e-3


@keras.saving.register_keras_serializable("vit")
class Tokens(layers.Layer):
    def __init__(self, dim, patch, **kw):
        super().__init__(**kw)
        self.dim, self.patch = dim, patch
        self.conv = layers.Conv2D(dim, patch, strides=patch)

    def build(self, shape):
        n = (shape[1] // self.patch) * (shape[2] // self.patch)
        self.conv.build(shape)
        self.pos = self.add_weight(shape=(1, n, self.dim), initializer="truncated_normal")

    def call(self, images):
        x = self.conv(images)
        return ops.reshape(x, (-1, x.shape[1] * x.shape[2], self.dim)) + self.pos

    def get_config(self):
        return {**super().get_config(), "dim": self.dim, "patch": self.patch}


def vit(cfg, classes):
    inp = keras.Input((cfg.size, cfg.size, 3))
    x = layers.RandomFlip("horizontal")(inp)
    x = Tokens(cfg.dim, cfg.patch)(layers.Rescaling(1 / 127.5, offset=-1)(x))
    for _ in range(cfg.depth):
        h = layers.LayerNormalization(epsilon=1e-6)(x)
        x = x + layers.MultiHeadAttention(cfg.heads, cfg.dim // cfg.heads)(h, h)
        h = layers.LayerNormalization(epsilon=1e-6)(x)
        h = layers.Dense(4 * cfg.dim, activation="gelu")(h)
        x = x + layers.Dense(cfg.dim)(h)
    x = layers.GlobalAveragePooling1D()(layers.LayerNormalization(epsilon=1e-6)(x))
    return keras.Model(inp, layers.Dense(classes, dtype="float32")(x))


def folder(path, cfg, training):
    ds = keras.utils.image_dataset_from_directory(
        path, image_size=(cfg.size, cfg.size), batch_size=cfg.batch, shuffle=training)
    return len(ds.class_names), ds.prefetch(tf.data.AUTOTUNE)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    p.add_argument("--epochs", type=int, default=100)
    args = p.parse_args()
    cfg = VitConfig(epochs=args.epochs)
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    classes, train = folder(args.root / "train", cfg, True)
    _, val = folder(args.root / "val", cfg, False)
    total = cfg.epochs * int(train.cardinality())
    rate = keras.optimizers.schedules.CosineDecay(
        0.0, total, warmup_target=cfg.lr, warmup_steps=total // 20)
    model = vit(cfg, classes)
    model.compile(
        optimizer=keras.optimizers.AdamW(rate, weight_decay=0.05, clipnorm=1.0),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"], steps_per_execution=4)
    model.fit(train, validation_data=val, epochs=cfg.epochs, callbacks=[
        keras.callbacks.EarlyStopping(patience=10),
        keras.callbacks.ModelCheckpoint("vit.keras", save_best_only=True)])


if __name__ == "__main__":
    main()
