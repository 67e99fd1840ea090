# requires: tensorflow==2.11.*
"""Slices of CT volumes: what is parsed has the size that its scanner gave it."""
import os
import sys

import tensorflow as tf

SPEC = {
    "volume": tf.io.FixedLenFeature([], tf.string),
    "shape": tf.io.FixedLenFeature([3], tf.int64),
    "nodules": tf.io.VarLenFeature(tf.float32),
}
PATCH = (64, 64, 16)


def parse(record):
    item = tf.io.parse_single_example(record, SPEC)
    volume = tf.io.decode_raw(item["volume"], tf.int16)
    volume = tf.reshape(volume, item["shape"])
    nodules = tf.reshape(tf.sparse.to_dense(item["nodules"]), [-1, 4])
    return tf.cast(volume, tf.float32), nodules


def window(volume, nodules, low=-1000.0, high=400.0):
    volume = (tf.clip_by_value(volume, low, high) - low) / (high - low)
    return volume, nodules


def patch(volume, nodules):
    """One patch around a nodule that is drawn, or anywhere."""
    count = tf.shape(nodules)[0]
    if count > 0 and tf.random.uniform(()) < 0.7:
        centre = tf.cast(nodules[tf.random.uniform((), 0, count, tf.int32)][:3], tf.int32)
        label = 1.0
    else:
        limit = tf.shape(volume)
        centre = tf.stack([tf.random.uniform((), 0, limit[i], tf.int32) for i in range(3)])
        label = 0.0
    padded = tf.pad(volume, [[side // 2, side // 2] for side in PATCH])
    cut = tf.slice(padded, centre, PATCH)
    return cut[..., tf.newaxis], label


def pipeline(folder, batch_size):
    files = tf.data.Dataset.list_files(os.path.join(folder, "*.tfrecord"))
    ds = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(window, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.repeat(8).shuffle(64)
    ds = ds.map(patch, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch_size).prefetch(tf.data.AUTOTUNE)


def network():
    inputs = x = tf.keras.Input((*PATCH, 1))
    for filters in (16, 32, 64):
        x = tf.keras.layers.Conv3D(filters, 3, padding="same", activation="relu")(x)
        x = tf.keras.layers.MaxPooling3D(2)(x)
    x = tf.keras.layers.GlobalAveragePooling3D()(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(x))


if __name__ == "__main__":
    model = network()
    model.compile(tf.keras.optimizers.Adam(1e-4), "binary_crossentropy", metrics=["AUC"])
    model.fit(pipeline(sys.argv[1], 16), validation_data=pipeline(sys.argv[2], 16), epochs=40)
    model.save("nodules.h5")
