"""Functions for the maps of pipeline.py."""
import numpy as np
import tensorflow as tf


def to_float(sample):
    sample["image"] = tf.image.convert_image_dtype(sample["image"], tf.float32)
    return sample


def clip_depth(sample):
    sample["depth"] = tf.clip_by_value(sample["depth"], 0.0, 400.0) / 400.0
    return sample


def rotate(sample):
    turns = tf.random.uniform((), 0, 4, tf.int32)
    sample["image"] = tf.image.rot90(sample["image"], turns)
    return sample


def denoise(sample):
    def median(image):
        padded = np.pad(image, ((1, 1), (1, 1), (0, 0)), "edge")
        windows = [padded[i : i + 96, j : j + 96] for i in range(3) for j in range(3)]
        return np.median(windows, axis=0).astype(np.float32)

    sample["image"] = tf.py_function(median, [sample["image"]], tf.float32)
    return sample


def as_pair(sample):
    return (sample["image"], sample["depth"]), sample["species"]


def bounding_crop(sample):
    top, left, height, width = tf.unstack(sample["box"])
    image = tf.image.crop_to_bounding_box(sample["image"], top, left, height, width)
    sample["image"] = tf.image.resize(image, (48, 48))
    return sample
