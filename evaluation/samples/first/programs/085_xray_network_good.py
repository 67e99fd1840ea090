"""Chest X-ray finding classifier."""
import argparse
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers, regularizers

FINDINGS = 14
SIDE = 256


def conv_block(x, filters, reg):
    x = layers.Conv2D(filters, 3, padding="same", use_bias=False,
                      kernel_regularizer=reg)(x)
    x = layers.BatchNormalization()(x)
    return layers.Activation("relu")(x)


def build_network(base_filters=32, units=512, dropout=0.4):
    reg = regularizers.l2(1e-5)
    inp = keras.Input((SIDE, SIDE, 1), name="xray")
    x = layers.Rescaling(1 / 255.0)(inp)
    x = conv_block(x, base_filters, reg)
    x = layers.MaxPooling2D()(x)
    x = conv_block(x, base_filters * 2, reg)
    x = layers.MaxPooling2D()(x)
    x = conv_block(x, base_filters * 2, reg)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dense(units, activation="relu")(x)
    x = layers.Dropout(dropout)(x)
    out = layers.Dense(FINDINGS, activation="sigmoid", dtype="float32", name="findings")(x)
    return keras.Model(inp, out)


def parse(record):
    ex = tf.io.parse_single_example(record, {
        "png": tf.io.FixedLenFeature([], tf.string),
        "findings": tf.io.FixedLenFeature([FINDINGS], tf.float32),
    })
    image = tf.io.decode_png(ex["png"], channels=1)
    return tf.image.resize(image, [SIDE, SIDE]), ex["findings"]


def read_split(folder, batch, training):
    files = sorted(str(f) for f in folder.glob("*.tfrecord"))
    ds = tf.data.TFRecordDataset(files, num_parallel_reads=tf.data.AUTOTUNE)
    if training:
        ds = ds.shuffle(4096)
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch, drop_remainder=training).prefetch(tf.data.AUTOTUNE)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data", type=Path)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--epochs", type=int, default=40)
    args = p.parse_args()

    keras.mixed_precision.set_global_policy("mixed_float16")
    model = build_network()
    model.compile(
        optimizer=keras.optimizers.AdamW(3e-4, weight_decay=1e-4),
        loss="binary_crossentropy",
        metrics=[keras.metrics.AUC(multi_label=True, num_labels=FINDINGS, name="auc")],
        steps_per_execution=8,
    )
    stop = keras.callbacks.EarlyStopping("val_auc", mode="max", patience=5,
                                         restore_best_weights=True)
    model.fit(read_split(args.data / "train", args.batch, True),
              validation_data=read_split(args.data / "valid", args.batch, False),
              epochs=args.epochs, callbacks=[stop])
    model.save("xray.keras")


if __name__ == "__main__":
    main()
