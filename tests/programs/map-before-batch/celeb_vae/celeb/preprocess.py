"""Functions of one example."""
import tensorflow as tf

SIDE = 64


def decode(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    image = tf.image.crop_to_bounding_box(image, 40, 15, 148, 148)
    return tf.image.resize(image, (SIDE, SIDE))


def to_unit(image):
    return image / 255.0


def to_signed(image):
    return image / 127.5 - 1.0


def standardized(image):
    """Mean 0 and deviation 1 of each picture by itself."""
    mean = tf.reduce_mean(image)
    return (image - mean) / (tf.math.reduce_std(image) + 1e-6)


SCALES = {"unit": to_unit, "signed": to_signed}


def gray(image):
    return tf.image.rgb_to_grayscale(image)


def clipped(image):
    return tf.clip_by_value(image, 8.0, 247.0)


def binary(attributes):
    return tf.cast((attributes + 1) // 2, tf.float32)
