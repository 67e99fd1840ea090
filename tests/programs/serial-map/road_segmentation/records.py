"""Reading of the sharded records that tools/make_records.py writes."""
import functools

import tensorflow as tf

FEATURES = {
    "image/encoded": tf.io.FixedLenFeature([], tf.string),
    "mask/encoded": tf.io.FixedLenFeature([], tf.string),
    "image/name": tf.io.FixedLenFeature([], tf.string, default_value=""),
}


def parse(serialized, size, ignore_label=255):
    example = tf.io.parse_single_example(serialized, FEATURES)
    image = tf.image.decode_jpeg(example["image/encoded"], channels=3)
    mask = tf.image.decode_png(example["mask/encoded"], channels=1)
    image = tf.image.resize(tf.cast(image, tf.float32), size)
    mask = tf.image.resize(mask, size, method=tf.image.ResizeMethod.NEAREST_NEIGHBOR)
    mask = tf.cast(mask, tf.int32)
    mask = tf.where(tf.equal(mask, 0), tf.fill(tf.shape(mask), ignore_label), mask - 1)
    return {"image": image, "name": example["image/name"]}, mask


def shards(pattern, training, cycle=8):
    files = tf.data.Dataset.list_files(pattern, shuffle=training)
    return files.interleave(tf.data.TFRecordDataset, cycle_length=cycle, block_length=4)  # finding: serial-map


def examples(pattern, size, training):
    reader = functools.partial(parse, size=size)
    return shards(pattern, training).map(reader)  # finding: serial-map
