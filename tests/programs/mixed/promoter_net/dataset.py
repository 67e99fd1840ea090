from functools import partial

import numpy as np
import tensorflow as tf

from . import encode


def load_arrays(path):
    z = np.load(path, mmap_mode="r")
    return np.asarray(z["bases"]), np.asarray(z["cage"], np.float32)


def finish(ds, batch, *, parallel=tf.data.AUTOTUNE):
    return ds.batch(batch, drop_remainder=True, num_parallel_calls=parallel).prefetch(4)


def training(path, batch=128):
    bases, cage = load_arrays(path)          # 740k promoters
    ds = tf.data.Dataset.from_tensor_slices((bases, cage)).shuffle(len(bases))
    ds = ds.map(encode.revcomp_half, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(encode.one_hot, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    return finish(ds, batch)


def testing(path, batch=512):
    bases, cage = load_arrays(path)
    ds = tf.data.Dataset.from_tensor_slices((bases, cage)).batch(batch)
    return ds.map(encode.one_hot, num_parallel_calls=tf.data.AUTOTUNE)


def ragged(path, batch=64):
    bases, cage = load_arrays(path)
    ds = tf.data.Dataset.from_tensor_slices((bases, cage)).map(encode.trim)
    return ds.padded_batch(batch, padding_values=(tf.constant(4, tf.uint8), 0.0))


def coverage(loci, fetch, batch=256):
    ds = tf.data.Dataset.from_tensor_slices(loci)
    ds = ds.map(partial(encode.from_bam, fetch=fetch), num_parallel_calls=16)
    return ds.batch(batch)
