"""Transformations of traces, looked up by name from the experiment file."""
import tensorflow as tf

from traces import NSAMP

REGISTRY = {}


def stage(name):
    def keep(fn):
        REGISTRY[name] = fn
        return fn
    return keep


@stage("coloured_noise")
def coloured_noise(x, pick):
    white = tf.random.normal([NSAMP])
    spec = tf.signal.rfft(white)
    freq = tf.range(1, NSAMP // 2 + 2, dtype=tf.float32)
    spec = spec * tf.cast(tf.math.rsqrt(freq), tf.complex64)
    level = tf.random.uniform([], 0.0, 0.3)
    shift = tf.random.uniform([], -200, 200, tf.int32)
    x = tf.roll(x + level * tf.signal.irfft(spec), shift, 0)
    return x, pick + tf.cast(shift, tf.float32) / NSAMP


@stage("spectrogram")
def spectrogram(x, pick):
    s = tf.signal.stft(x, 256, 64)
    return tf.math.log(tf.abs(s) + 1e-4)[..., tf.newaxis], pick
