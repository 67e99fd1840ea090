# requires: tensorflow==2.11.*
"""Satellite tiles in one HDF5 file; small functions are chained."""
from functools import partial, reduce

import h5py
import tensorflow as tf

AUTO = tf.data.AUTOTUNE
BANDS = [1, 2, 3, 7]


def pick_bands(tile, label):
    return tf.gather(tile, BANDS, axis=-1), label


def reflectance(tile, label, scale=10000.0):
    return tf.clip_by_value(tf.cast(tile, tf.float32) / scale, 0.0, 1.0), label


def standardized(tile, label):
    return tf.image.per_image_standardization(tile), label


def chain(ds, fns):
    return reduce(lambda d, fn: d.map(fn, num_parallel_calls=AUTO), fns, ds)  # finding: map-before-batch


def load(path, split):
    with h5py.File(path, "r") as store:
        tiles, labels = store[split]["tiles"][:], store[split]["labels"][:]
    return tf.data.Dataset.from_tensor_slices((tiles, labels)), len(labels)


def pipeline(path, split, batch_size, shuffle=False):
    ds, count = load(path, split)
    if shuffle:
        ds = ds.shuffle(count)
    ds = chain(ds, [pick_bands, partial(reflectance, scale=8000.0), standardized])
    return ds.batch(batch_size).prefetch(AUTO)


def make_model(classes=10):
    return tf.keras.Sequential([
        tf.keras.layers.Conv2D(32, 3, activation="relu", input_shape=(64, 64, len(BANDS))),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Conv2D(64, 3, activation="relu"),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Conv2D(128, 3, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(classes, activation="softmax"),
    ])


def main(path="eurosat.h5"):
    model = make_model()
    model.compile(
        tf.keras.optimizers.Adam(3e-4),
        tf.keras.losses.SparseCategoricalCrossentropy(),
        metrics=["accuracy"])
    model.fit(
        pipeline(path, "train", 128, shuffle=True),
        validation_data=pipeline(path, "valid", 512),
        epochs=60,
        callbacks=[tf.keras.callbacks.EarlyStopping(patience=6, restore_best_weights=True)])
    print(model.evaluate(pipeline(path, "test", 512)))


if __name__ == "__main__":
    main()
