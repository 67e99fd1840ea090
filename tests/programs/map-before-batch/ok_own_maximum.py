# requires: tensorflow==2.12.*
"""Galaxies of many sizes; each picture is scaled by its own maximum."""
import argparse

import tensorflow as tf
import tensorflow_datasets as tfds

AUTOTUNE = tf.data.AUTOTUNE


def by_maximum(example):
    image = tf.cast(example["image"], tf.float32)
    return image / tf.reduce_max(image), example["label"]


def to_size(image, label):
    return tf.image.resize(image, (128, 128), antialias=True), label


def stretch(image, label):
    low, high = tf.reduce_min(image), tf.reduce_max(image)
    image = tf.math.asinh((image - low) / (high - low + 1e-6) * 10.0) / tf.math.asinh(10.0)
    return image, label


def tta(image, label):
    """Eight views of each galaxy, as one group."""
    views = [tf.image.rot90(image, k) for k in range(4)]
    views += [tf.image.flip_left_right(view) for view in views]
    return tf.stack(views), tf.repeat(label, 8)


def training(batch_size):
    ds = tfds.load("galaxies", split="train", shuffle_files=True)
    ds = ds.map(by_maximum, num_parallel_calls=AUTOTUNE).map(to_size, num_parallel_calls=AUTOTUNE)
    ds = ds.map(stretch, num_parallel_calls=AUTOTUNE)
    return ds.shuffle(4096).batch(batch_size).prefetch(AUTOTUNE)


def testing():
    ds = tfds.load("galaxies", split="test")
    ds = ds.map(by_maximum, num_parallel_calls=AUTOTUNE).map(to_size, num_parallel_calls=AUTOTUNE)
    return ds.map(tta, num_parallel_calls=AUTOTUNE).unbatch().batch(64).prefetch(AUTOTUNE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=64)
    args = parser.parse_args()
    base = tf.keras.applications.EfficientNetV2B0(include_top=False, weights=None,
                                                  input_shape=(128, 128, 3), pooling="avg")
    model = tf.keras.Sequential([base, tf.keras.layers.Dense(10, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(training(args.batch_size), epochs=args.epochs)
    scores = model.predict(testing())
    print(scores.reshape(-1, 8, 10).mean(1).argmax(1))


if __name__ == "__main__":
    main()
