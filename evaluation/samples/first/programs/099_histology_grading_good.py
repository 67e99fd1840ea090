"""Grade histology tiles with a pretrained backbone."""
import argparse
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

SIDE = 512
GRADES = ["benign", "g3", "g4", "g5"]


def tile_list(root):
    files, labels = [], []
    for k, grade in enumerate(GRADES):
        found = sorted((root / grade).glob("*.png"))
        files += [str(f) for f in found]
        labels += [k] * len(found)
    order = np.random.default_rng(0).permutation(len(files))
    return np.array(files)[order], np.array(labels, np.int32)[order]


def read_tile(path, label):
    tile = tf.io.decode_png(tf.io.read_file(path), channels=3)
    return tf.image.resize(tile, [SIDE, SIDE]), label


def stream_tiles(files, labels, batch_size, training):
    ds = tf.data.Dataset.from_tensor_slices((files, labels))
    if training:
        ds = ds.shuffle(len(files))
    ds = ds.map(read_tile, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch_size, drop_remainder=training).prefetch(tf.data.AUTOTUNE)


def build(lr):
    base = keras.applications.ConvNeXtTiny(
        include_top=False, pooling="avg", input_shape=(SIDE, SIDE, 3))
    inp = keras.Input((SIDE, SIDE, 3))
    x = layers.RandomFlip("horizontal_and_vertical")(inp)
    x = layers.Dropout(0.3)(base(x))
    model = keras.Model(inp, layers.Dense(len(GRADES), activation="softmax",
                                          dtype="float32")(x))
    model.compile(optimizer=keras.optimizers.AdamW(lr),
                  loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tiles", type=Path)
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=1e-4)
    args = p.parse_args()

    keras.mixed_precision.set_global_policy("mixed_float16")
    model = build(args.lr)
    callbacks = [
        keras.callbacks.EarlyStopping(patience=4, restore_best_weights=True),
        keras.callbacks.ModelCheckpoint("grading.keras", save_best_only=True),
    ]
    files, labels = tile_list(args.tiles)
    cut = int(0.9 * len(files))
    train = stream_tiles(files[:cut], labels[:cut], args.batch_size, True)
    val = stream_tiles(files[cut:], labels[cut:], args.batch_size, False)
    model.fit(train, validation_data=val, epochs=args.epochs, callbacks=callbacks)


if __name__ == "__main__":
    main()
