# requires: tensorflow==2.13.0
import tensorflow as tf
from segmentation_kit import preprocess_input
from segmentation_kit.augment import mixed


def images(array, masks, batch_size, transform=None):
    ds = tf.data.Dataset.from_tensor_slices((array, masks))
    ds = ds.map(lambda x, m: (preprocess_input(x), m), num_parallel_calls=tf.data.AUTOTUNE)
    if transform is not None:
        ds = ds.map(transform, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(mixed, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(batch_size).prefetch(2)
