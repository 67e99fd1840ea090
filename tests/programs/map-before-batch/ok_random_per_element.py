# requires: tensorflow==2.14.0
import tensorflow as tf


def jitter(image, label):
    if tf.random.uniform([]) > 0.5:
        image = tf.image.rot90(image)
    factor = tf.random.uniform([], 0.8, 1.2)
    return image * factor, label


def crop(image, label):
    return tf.image.random_crop(image, [32, 32, 3]), label


def training(images, labels):
    ds = tf.data.Dataset.from_tensor_slices((images, labels))
    ds = ds.shuffle(1000)
    ds = ds.map(jitter, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(crop, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(128)
