# requires: tensorflow==2.4.*
"""Land use from satellite tiles; the pipeline's parallelism is set in one place."""
import os

import tensorflow as tf
from absl import app, flags, logging

FLAGS = flags.FLAGS
flags.DEFINE_string("tiles", None, "Folder with one folder of tiles per class.")
flags.DEFINE_integer("batch_size", 64, "Tiles per step.")
flags.DEFINE_integer("readers", 16, "Shards read at a time.")


def fast_options():
    options = tf.data.Options()
    options.experimental_deterministic = False
    options.experimental_optimization.map_parallelization = True
    options.experimental_optimization.autotune_buffers = True
    options.experimental_threading.private_threadpool_size = 16
    return options


def decode(record):
    example = tf.io.parse_single_example(
        record,
        {
            "tile": tf.io.FixedLenFeature([], tf.string),
            "label": tf.io.FixedLenFeature([], tf.int64),
        },
    )
    tile = tf.io.decode_png(example["tile"], channels=4)
    return tf.image.convert_image_dtype(tile, tf.float32), example["label"]


def indices(tile, label):
    """Adds the vegetation index as a fifth channel."""
    red, infrared = tile[..., 0], tile[..., 3]
    ndvi = (infrared - red) / (infrared + red + 1e-6)
    tile = tf.image.resize(tf.concat([tile, ndvi[..., tf.newaxis]], -1), (128, 128))
    return tile, label


def tiles(split):
    shards = tf.data.Dataset.list_files(os.path.join(FLAGS.tiles, split + "-*.tfrecord"))
    records = shards.interleave(tf.data.TFRecordDataset, FLAGS.readers, 4, tf.data.experimental.AUTOTUNE)
    if split == "train":
        records = records.shuffle(5000).repeat()
    ds = records.map(decode)
    ds = ds.map(indices)
    ds = ds.batch(FLAGS.batch_size).prefetch(tf.data.experimental.AUTOTUNE)
    return ds.with_options(fast_options())


def build(classes=10):
    inputs = tf.keras.Input((128, 128, 5))
    x = inputs
    for filters in (32, 64, 128, 256):
        x = tf.keras.layers.SeparableConv2D(filters, 3, strides=2, padding="same")(x)
        x = tf.keras.layers.BatchNormalization()(x)
        x = tf.keras.layers.Activation("relu")(x)
    x = tf.keras.layers.GlobalAveragePooling2D()(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(classes)(x))


def main(_):
    model = build()
    model.compile(
        "adam",
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(tiles("train"), steps_per_epoch=1500, epochs=30, validation_data=tiles("valid"))
    logging.info("done")
    model.save("land_use")


if __name__ == "__main__":
    app.run(main)
