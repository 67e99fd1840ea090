"""Steps of the input pipeline; each takes a dataset and gives one."""
import tensorflow as tf

AUTOTUNE = tf.data.experimental.AUTOTUNE


def resize_pair(image, mask, size=128):
    image = tf.image.resize(tf.cast(image, tf.float32) / 255.0, (size, size))
    mask = tf.image.resize(mask, (size, size), method="nearest")
    return image, tf.cast(mask, tf.int32) - 1


def crop_pair(image, mask):
    joined = tf.concat([image, tf.cast(mask, tf.float32)], axis=-1)
    joined = tf.image.random_crop(joined, (112, 112, 4))
    if tf.random.uniform(()) > 0.5:
        joined = tf.image.flip_left_right(joined)
    return joined[..., :3], tf.cast(joined[..., 3:], tf.int32)


def center_pair(image, mask):
    return tf.image.central_crop(image, 0.875), tf.image.central_crop(mask, 0.875)


def resized(dataset):
    return dataset.map(resize_pair, AUTOTUNE)


def augmented(dataset, how=crop_pair):
    return dataset.map(how)  # finding: serial-map


def batched(dataset, size):
    return dataset.batch(size, drop_remainder=True).prefetch(AUTOTUNE)
