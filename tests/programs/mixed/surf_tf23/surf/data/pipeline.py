import functools

import tensorflow as tf

from . import transforms
from .registry import TRANSFORMS


def read(config, training):
    files = tf.data.Dataset.list_files(config.shards, shuffle=training)
    return files.interleave(tf.data.TFRecordDataset, cycle_length=8)  # finding: serial-map


def build(config, training=True):
    dataset = read(config, training)
    dataset = dataset.map(transforms.parse(config))  # finding: serial-map, map-before-batch
    if training:
        dataset = dataset.cache().shuffle(4096)
    for name in config.transforms:
        function = functools.partial(TRANSFORMS[name], config=config)
        dataset = dataset.map(function)  # finding: serial-map
    return dataset.batch(config.batch_size).prefetch(tf.data.experimental.AUTOTUNE)


def probe(config):
    """The first series of the first shard, for a picture."""
    dataset = tf.data.TFRecordDataset(tf.io.gfile.glob(config.shards)[0])
    return next(iter(dataset.take(1).map(transforms.parse(config)))).numpy()
