"""Grade histology tiles with a pretrained backbone."""
import argparse
from pathlib import Path

import keras
import numpy as np
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


def load_tiles(root):
    files, labels = tile_list(root)
    tiles = np.empty((len(files), SIDE, SIDE, 3), np.float32)
    for k, f in enumerate(files):
        tiles[k] = keras.utils.img_to_array(
            keras.utils.load_img(f, target_size=(SIDE, SIDE)))
    return tiles, labels


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
    x, y = load_tiles(args.tiles)
    model.fit(x, y, validation_split=0.1, batch_size=args.batch_size,
              epochs=args.epochs, callbacks=callbacks)


if __name__ == "__main__":
    main()
