"""Preprocessing of images for training and evaluation."""

import tensorflow as tf


def distort_color(image, fast_mode=True, scope=None):
    with tf.name_scope(scope, "distort_color", [image]):
        image = tf.image.random_brightness(image, max_delta=32.0 / 255.0)
        if not fast_mode:
            image = tf.image.random_saturation(image, lower=0.5, upper=1.5)
            image = tf.image.random_hue(image, max_delta=0.2)
        return tf.clip_by_value(image, 0.0, 1.0)


def preprocess_for_train(image, height, width):
    image = tf.image.convert_image_dtype(image, dtype=tf.float32)
    image = tf.image.resize_images(image, [height + 32, width + 32])
    image = tf.random_crop(image, [height, width, 3])
    image = tf.image.random_flip_left_right(image)
    image = distort_color(image)
    return tf.multiply(tf.subtract(image, 0.5), 2.0)


def preprocess_for_eval(image, height, width, central_fraction=0.875):
    image = tf.image.convert_image_dtype(image, dtype=tf.float32)
    image = tf.image.central_crop(image, central_fraction=central_fraction)
    image = tf.image.resize_images(image, [height, width])
    return tf.multiply(tf.subtract(image, 0.5), 2.0)


def preprocess_image(image, height, width, is_training=False):
    if is_training:
        return preprocess_for_train(image, height, width)
    return preprocess_for_eval(image, height, width)
