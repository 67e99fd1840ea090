import numpy as np
import tensorflow as tf

from frontend import Frontend


def arrays(path):
    blob = np.load(path)
    return blob["waves"].astype("float32"), blob["labels"].astype("int64")


def epoch(waves, labels, batch):
    order = np.random.permutation(len(waves))
    for start in range(0, len(order) - batch + 1, batch):
        rows = order[start : start + batch]
        yield waves[rows], labels[rows]


def validation(path, batch):
    """Batches of features; the frontend runs within tf.data's graph."""
    frontend = Frontend()
    waves, labels = arrays(path)
    ds = tf.data.Dataset.from_tensor_slices((waves, labels)).batch(batch)
    ds = ds.map(lambda w, y: (frontend(w), y), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.cache().prefetch(1)
