"""Jets of particles: fixed numbers of constituents, four momenta each."""
import h5py
import numpy as np
import tensorflow as tf

from .base import Pipeline


class Jets(Pipeline):
    def __init__(self, path, batch_size, **kwargs):
        super().__init__(batch_size, **kwargs)
        with h5py.File(path, "r") as store:
            self.arrays = {s: (store[s + "/p"][:], store[s + "/y"][:]) for s in ("train", "valid")}

    def source(self, split):
        momenta, labels = self.arrays[split]
        return tf.data.Dataset.from_tensor_slices({"p": momenta, "y": labels.astype(np.int32)})

    def preprocess(self, example):
        p = tf.math.log1p(tf.abs(example["p"])) * tf.sign(example["p"])
        return p / 8.0, tf.one_hot(example["y"], 5)
