# requires: tensorflow==2.15.*, keras>=3, tensorflow-datasets
"""The getting-started example that we hand to new colleagues.

The cheap work per picture is done once, before the cache; what an epoch repeats is batched.
"""
import functools

import keras
import tensorflow as tf
import tensorflow_datasets as tfds

BATCH = 128


def normalize(image, label):
    return tf.cast(image, tf.float32) / 255.0, label


def decode_digits(example):
    image = tf.io.decode_png(example["png"], channels=1)
    return tf.cast(image, tf.float32) / 255.0, example["label"]


@functools.lru_cache(maxsize=None)
def one_hot_table(classes):
    return tf.eye(classes)


def encode(images, labels, classes):
    return images, tf.gather(one_hot_table(classes), labels)


def training(ds, info):
    ds = ds.map(normalize, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.cache()
    ds = ds.shuffle(info.splits["train"].num_examples)
    ds = ds.batch(BATCH)
    classes = info.features["label"].num_classes
    ds = ds.map(functools.partial(encode, classes=classes), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.prefetch(tf.data.AUTOTUNE)


def testing(ds, info):
    classes = info.features["label"].num_classes
    ds = ds.batch(BATCH)
    ds = ds.map(normalize, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(functools.partial(encode, classes=classes), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.prefetch(tf.data.AUTOTUNE)


def own_digits(records):
    ds = tf.data.TFRecordDataset(records)
    spec = {"png": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
    ds = ds.batch(BATCH).map(functools.partial(tf.io.parse_example, features=spec)).unbatch()
    ds = ds.map(decode_digits, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(BATCH).prefetch(tf.data.AUTOTUNE)


def mixup(ds):
    """Mixes each picture with another, with a weight of its own."""

    def mix(one, other):
        weight = tf.random.uniform([])
        image = weight * one[0] + (1 - weight) * other[0]
        label = weight * one[1] + (1 - weight) * other[1]
        return image, label

    singles = ds.unbatch()
    pairs = tf.data.Dataset.zip((singles.shuffle(4096), singles.shuffle(4096)))
    return pairs.map(mix, num_parallel_calls=tf.data.AUTOTUNE).batch(BATCH).prefetch(2)


def build(classes):
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(64, 3, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(classes, activation="softmax"),
        ]
    )


def main():
    (train, test), info = tfds.load(
        "mnist", split=["train", "test"], shuffle_files=True, as_supervised=True, with_info=True
    )
    model = build(info.features["label"].num_classes)
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    model.fit(training(train, info), epochs=6, validation_data=testing(test, info))
    model.fit(mixup(training(train, info)), epochs=4, validation_data=testing(test, info))
    images, labels = next(iter(own_digits("ours.tfrecord")))
    print(model.predict(images).argmax(-1)[:10], labels[:10])


if __name__ == "__main__":
    main()
