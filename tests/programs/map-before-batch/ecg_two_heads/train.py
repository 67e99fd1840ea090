import argparse
import logging

import numpy as np
import tensorflow as tf
from tensorflow import keras

from pipeline import PipelineConfig, prepare

log = logging.getLogger("ecg")


def load(path):
    with np.load(path) as archive:
        return archive["signals"], archive["labels"].astype(np.int32)


def conv_block(x, filters, stride):
    shortcut = keras.layers.Conv1D(filters, 1, strides=stride, padding="same")(x)
    x = keras.layers.Conv1D(filters, 7, strides=stride, padding="same", use_bias=False)(x)
    x = keras.layers.BatchNormalization()(x)
    x = keras.layers.Activation("relu")(x)
    x = keras.layers.Conv1D(filters, 7, padding="same", use_bias=False)(x)
    x = keras.layers.BatchNormalization()(x)
    return keras.layers.Activation("relu")(keras.layers.add([x, shortcut]))


def build(length, leads, classes):
    inputs = keras.Input((length, leads))
    x = keras.layers.Conv1D(32, 15, strides=2, padding="same")(inputs)
    for filters in (32, 64, 128, 256):
        x = conv_block(x, filters, 2)
    x = keras.layers.GlobalAveragePooling1D()(x)
    outputs = {
        "class": keras.layers.Dense(classes, activation="softmax", name="class")(x),
        "abnormal": keras.layers.Dense(1, activation="sigmoid", name="abnormal")(x),
    }
    model = keras.Model(inputs, outputs)
    model.compile(
        keras.optimizers.Adam(1e-3),
        loss={"class": "categorical_crossentropy", "abnormal": "binary_crossentropy"},
        metrics={"class": ["accuracy"], "abnormal": [keras.metrics.AUC()]},
    )
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("--epochs", type=int, default=60)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)

    x, y = load(args.train)
    config = PipelineConfig(mean=float(x.mean()), std=float(x.std()))
    log.info("%d recordings, mean %.3f std %.3f", len(x), config.mean, config.std)
    train = prepare(tf.data.Dataset.from_tensor_slices((x, y)), config, training=True)
    valid = prepare(tf.data.Dataset.from_tensor_slices(load(args.valid)), config, training=False)
    model = build(x.shape[1], x.shape[2], config.num_classes)
    model.fit(
        train.batch(config.batch_size).prefetch(tf.data.AUTOTUNE),
        validation_data=valid.batch(config.batch_size).prefetch(tf.data.AUTOTUNE),
        epochs=args.epochs,
    )
    model.save("ecg.keras")


if __name__ == "__main__":
    main()
