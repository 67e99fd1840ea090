import tensorflow as tf
import tensorflow_datasets as tfds
from ops import STEPS, onehot
from tensorflow.keras.applications import resnet_v2

AUTOTUNE = tf.data.AUTOTUNE
CLASSES = 10


def base(split):
    return tfds.load("galaxy_zoo3d", split=split, as_supervised=True)


def prepare(split, names, batch_size, training):
    ds = base(split)
    if training:
        ds = ds.shuffle(4096)
    for name in names:
        ds = ds.map(STEPS[name], num_parallel_calls=AUTOTUNE)
    ds = ds.map(onehot(CLASSES), num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
    return ds.batch(batch_size).prefetch(AUTOTUNE)


def pretrained(split, batch_size):
    ds = base(split).map(  # finding: map-before-batch
        lambda image, label: (resnet_v2.preprocess_input(tf.cast(image, tf.float32)), label), AUTOTUNE
    )
    ds = ds.cache()
    return ds.batch(batch_size).prefetch(AUTOTUNE)


def resized(split, batch_size, size):
    def fit(image, label):
        return tf.image.resize(image, (size, size)), label

    ds = base(split).map(fit, num_parallel_calls=AUTOTUNE)
    return ds.batch(batch_size).prefetch(AUTOTUNE)


def pairs(split, batch_size):
    """Two neighbours at a time, for the contrastive loss."""
    ds = base(split).map(lambda image, label: tf.cast(image, tf.float32), num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
    ds = ds.map(tf.image.per_image_standardization, num_parallel_calls=AUTOTUNE)  # finding: map-before-batch
    return ds.batch(2, drop_remainder=True).map(
        lambda two: (two[0], two[1]), num_parallel_calls=AUTOTUNE
    ).batch(batch_size).prefetch(AUTOTUNE)
