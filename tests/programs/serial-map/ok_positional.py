# requires: tensorflow==1.15.0
import multiprocessing

import tensorflow as tf


def parse_image(path):
    return tf.image.resize_images(tf.image.decode_jpeg(tf.read_file(path), 3), [96, 96])


def open_shard(name):
    return tf.data.TextLineDataset(name)


def image_input(list_files):
    shards = tf.data.Dataset.from_tensor_slices(list_files)
    names = shards.interleave(open_shard, 4, 16, 4)
    images = names.map(parse_image, multiprocessing.cpu_count())
    return images.batch(64).prefetch(2)


def legacy_input(list_files):
    names = tf.data.TextLineDataset(list_files)
    return names.map_with_legacy_function(parse_image, 8).batch(64)
