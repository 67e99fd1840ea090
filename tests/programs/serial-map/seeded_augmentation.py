# requires: tensorflow==2.10.*
"""Plant leaves: a generator's seeds for each image, and layers that draw."""
import csv
import os

import tensorflow as tf

ROOT = "/data/leaves"
rng = tf.random.Generator.from_seed(123, alg="philox")

flips = tf.keras.Sequential([
    tf.keras.layers.RandomFlip("horizontal_and_vertical"),
    tf.keras.layers.RandomZoom(0.2),
])


def table(name):
    with open(os.path.join(ROOT, name)) as handle:
        rows = list(csv.reader(handle))
    return [os.path.join(ROOT, r[0]) for r in rows], [int(r[1]) for r in rows]


def read(path, label):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(image, (256, 256)) / 255.0, label


def augment(image_label, seed):
    image, label = image_label
    image = tf.image.stateless_random_crop(image, (224, 224, 3), seed)
    new_seed = tf.random.experimental.stateless_split(seed, num=1)[0]
    return tf.image.stateless_random_brightness(image, 0.2, new_seed), label


def with_generator(image, label):
    seed = rng.make_seeds(2)[0]
    return augment((image, label), seed)


def training(batch_size):
    paths, labels = table("train.csv")
    ds = tf.data.Dataset.from_tensor_slices((paths, labels)).shuffle(len(paths))
    ds = ds.map(read)
    ds = ds.map(with_generator)  # note: serial-map
    ds = ds.batch(batch_size)
    ds = ds.map(lambda x, y: (flips(x, training=True), y))  # note: serial-map
    return ds.prefetch(tf.data.AUTOTUNE)


def reproducible(batch_size):
    paths, labels = table("train.csv")
    counter = tf.data.experimental.Counter()
    ds = tf.data.Dataset.from_tensor_slices((paths, labels)).map(read)
    ds = tf.data.Dataset.zip((ds, (counter, counter)))
    return ds.map(augment).batch(batch_size).prefetch(tf.data.AUTOTUNE)


def main(fixed=False):
    train = reproducible(64) if fixed else training(64)
    base = tf.keras.applications.EfficientNetB0(include_top=False, pooling="avg", input_shape=(224, 224, 3))
    model = tf.keras.Sequential([base, tf.keras.layers.Dense(38, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(train, epochs=20)


if __name__ == "__main__":
    main()
