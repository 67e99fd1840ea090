"""A filter in the frequency domain, between two layers of a network with channels last."""

import numpy as np
import tensorflow as tf

BATCH = 3
SIDE = 16
CHANNELS = 64
STEPS = 4


def transform(maps):
    """The two-dimensional spectrum over height and width of [batch, height, width, channels]."""
    planes = tf.transpose(tf.cast(maps, tf.complex64), [0, 3, 1, 2])
    return tf.transpose(tf.signal.fft2d(planes), [0, 2, 3, 1])


def low_pass():
    frequency = np.minimum(np.arange(SIDE), SIDE - np.arange(SIDE))
    radius = np.hypot(frequency[:, None], frequency[None, :])
    return tf.constant(np.exp(-(radius**2) / 20.0), tf.float32)[None, :, :, None]


class SpectralBlock(tf.Module):
    def __init__(self, seed):
        self.mix = tf.Variable(tf.random.stateless_normal([CHANNELS, CHANNELS], [seed, 0]) * 0.1)
        self.window = low_pass()

    def __call__(self, maps):
        spectrum = tf.abs(transform(maps)) * self.window
        return tf.nn.relu(tf.einsum("bhwc,cd->bhwd", tf.math.log1p(spectrum), self.mix))


def main():
    rng = np.random.default_rng(47)
    maps = tf.constant(rng.normal(size=(BATCH, SIDE, SIDE, CHANNELS)).astype(np.float32))
    blocks = [SpectralBlock(seed) for seed in range(STEPS)]
    for block in blocks:
        maps = block(maps)
    return tf.reduce_mean(maps, axis=[1, 2]).numpy()


if __name__ == "__main__":
    print(main())
