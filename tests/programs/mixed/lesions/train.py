import argparse

import nibabel
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

from generators import Slices, patches


def read_scans(names):
    return np.concatenate([nibabel.load(name).get_fdata() for name in names], axis=2)  # finding: read-per-item, whole-dataset-array


def unet(width=64):
    x = inputs = layers.Input((256, 256, 1))
    x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    return models.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(x))


def wide_net():
    model = models.Sequential(name="wide")
    model.add(layers.Conv2D(1024, (3, 3), padding="same", input_shape=(256, 256, 1)))  # finding: wide-early-conv
    model.add(layers.LeakyReLU(0.1))
    model.add(layers.Conv2D(1, (1, 1), activation="sigmoid"))
    return model


def dice(truth, guess):
    return 2 * tf.reduce_sum(truth * guess) / tf.reduce_sum(truth + guess)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("scans", nargs="+")
    args = parser.parse_args()
    scans = np.moveaxis(read_scans(args.scans), 2, 0)[..., None]
    masks = np.load("masks.npy")
    model = wide_net() if args.wide else unet()
    model.compile("adam", "binary_crossentropy", metrics=[dice])
    slices = Slices(scans, masks, args.batch)
    model.fit(slices, epochs=10)
    model.fit(patches(scans, masks, args.batch), steps_per_epoch=len(scans), epochs=5)  # finding: steps-as-samples
    found = model.predict(scans, batch_size=args.batch)
    print([float(dice(m, f)) for m, f in zip(masks, found)])  # finding: per-slice-op


if __name__ == "__main__":
    main()
