# requires: tensorflow==2.14.*
"""Handwritten letters (EMNIST) through Keras preprocessing layers."""
import tensorflow as tf
import tensorflow_datasets as tfds
from tensorflow import keras

AUTOTUNE = tf.data.AUTOTUNE
SPLITS = {"train": "train[:90%]", "valid": "train[90%:]", "test": "test"}

resize_and_rescale = keras.Sequential([
    keras.layers.Resizing(32, 32),
    keras.layers.Rescaling(1.0 / 255),
])


def upright(image, label):
    return tf.transpose(image, [1, 0, 2]), label - 1


def prepare(image, label):
    return resize_and_rescale(image), label


def load_splits():
    loaded = {}
    for name, split in SPLITS.items():
        ds = tfds.load("emnist/letters", split=split, as_supervised=True)
        ds = ds.map(upright, num_parallel_calls=AUTOTUNE)
        loaded[name] = ds.map(prepare, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
    return loaded


def as_batches(datasets, batch_size=128):
    out = {}
    for name, ds in datasets.items():
        if name == "train":
            ds = ds.shuffle(20_000)
        out[name] = ds.batch(batch_size).prefetch(AUTOTUNE)
    return out


def build():
    inputs = keras.Input((32, 32, 1))
    x = inputs
    for filters in (32, 64, 128):
        x = keras.layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = keras.layers.BatchNormalization()(x)
        x = keras.layers.Activation("relu")(x)
        x = keras.layers.MaxPooling2D()(x)
    x = keras.layers.Flatten()(x)
    x = keras.layers.Dropout(0.4)(x)
    return keras.Model(inputs, keras.layers.Dense(26, activation="softmax")(x))


if __name__ == "__main__":
    data = as_batches(load_splits())
    model = build()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(data["train"], validation_data=data["valid"], epochs=15)
    print(dict(zip(model.metrics_names, model.evaluate(data["test"]))))
