"""ECG beat classification with a residual 1-D CNN."""
import argparse
from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf
from keras import layers


@dataclass
class Config:
    data: str
    epochs: int = 80
    batch_size: int = 512
    lr: float = 1e-3
    classes: int = 5


def block(x, filters, stride=1):
    skip = layers.Conv1D(filters, 1, strides=stride, use_bias=False)(x)
    x = layers.Conv1D(filters, 9, strides=stride, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU()(x)
    x = layers.Conv1D(filters, 9, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.ReLU()(layers.add([x, skip]))


def network(length, leads, classes):
    inp = keras.Input((length, leads))
    x = inp
    for i, filters in enumerate((64, 64, 128, 128, 256, 256)):
        x = block(x, filters, stride=2 if i % 2 else 1)
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(inp, layers.Dense(classes, dtype="float32")(x))


def settings(cfg):
    return {
        "optimizer": keras.optimizers.AdamW(cfg.lr),
        "loss": keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        "metrics": ["sparse_categorical_accuracy"],
    }


def load(path, batch_size):
    with np.load(path) as z:
        train = tf.data.Dataset.from_tensor_slices((z["x_train"], z["y_train"]))
        valid = tf.data.Dataset.from_tensor_slices((z["x_valid"], z["y_valid"]))
        shape = z["x_train"].shape[1:]
    train = train.shuffle(50_000).batch(batch_size, drop_remainder=True)
    return train.prefetch(tf.data.AUTOTUNE), valid.batch(batch_size).prefetch(tf.data.AUTOTUNE), shape


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("data")
    ap.add_argument("--epochs", type=int, default=80)
    args = ap.parse_args()
    cfg = Config(data=args.data, epochs=args.epochs)

    keras.utils.set_random_seed(1)
    keras.mixed_precision.set_global_policy("mixed_float16")
    train, valid, shape = load(cfg.data, cfg.batch_size)
    model = network(*shape, cfg.classes)
    model.compile(**settings(cfg))
    model.fit(
        train,
        validation_data=valid,
        epochs=cfg.epochs,
        callbacks=[
            keras.callbacks.EarlyStopping(patience=8, restore_best_weights=True),
            keras.callbacks.ModelCheckpoint("ecg.keras", save_best_only=True),
        ],
        verbose=2,
    )


if __name__ == "__main__":
    main()
