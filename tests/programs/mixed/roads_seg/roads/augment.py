import tensorflow as tf


def flip(image, mask):
    if tf.random.uniform(()) > 0.5:
        image = tf.image.flip_left_right(image)
        mask = tf.image.flip_left_right(mask)
    return image, mask


def brightness(image, mask):
    return tf.image.random_brightness(image, 0.2), mask


def noise(image, mask):
    return image + tf.random.normal(tf.shape(image), stddev=0.02), mask


AUGMENTATIONS = {"flip": flip, "brightness": brightness, "noise": noise}
