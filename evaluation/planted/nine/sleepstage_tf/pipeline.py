import numpy as np
import tensorflow as tf

from signals import clean


class Nights:
    """Windows of several recordings, in the order of an epoch."""

    def __init__(self, recordings, cfg, training):
        self.cfg = cfg
        self.training = training
        self.eeg = np.concatenate([eeg for eeg, _ in recordings])
        self.stages = np.concatenate([stages for _, stages in recordings])
        rng = np.random.default_rng(cfg.seed + 100)
        self.gains = rng.uniform(0.8, 1.25, (cfg.epochs, len(self.eeg))).astype(np.float32)
        self.flips = rng.choice([-1.0, 1.0], (cfg.epochs, len(self.eeg))).astype(np.float32)

    def __len__(self):
        return len(self.stages)

    def order(self, epoch):
        if not self.training:
            return np.arange(len(self))
        return np.random.default_rng((self.cfg.seed, epoch)).permutation(len(self))

    def windows(self, epoch):
        for i in self.order(epoch):
            yield clean(self.eeg[i], self.cfg), self.stages[i], i

    def dataset(self, epoch):
        signature = (
            tf.TensorSpec((self.cfg.length,), tf.float32),
            tf.TensorSpec((), tf.int64),
            tf.TensorSpec((), tf.int64),
        )
        ds = tf.data.Dataset.from_generator(lambda: self.windows(epoch), output_signature=signature)
        if self.training:
            ds = self._augmented(ds, epoch)
        ds = ds.map(lambda x, y, i: (x[:, None], y))
        return ds.batch(self.cfg.batch)

    def _augmented(self, ds, epoch):
        def change(x, i):
            i = i.numpy()
            return x.numpy() * self.gains[epoch, i][..., None] * self.flips[epoch, i][..., None]

        def wrapped(x, y, i):
            z = tf.py_function(change, [x, i], tf.float32)
            z.set_shape(x.shape)
            return z, y, i

        return ds.map(wrapped)


def class_weights(stages, n_stages):
    counts = tf.zeros(n_stages)
    for stage in stages:
        counts = tf.tensor_scatter_nd_add(counts, [[stage]], [1.0])
    return tf.reduce_sum(counts) / (n_stages * tf.maximum(counts, 1.0))
