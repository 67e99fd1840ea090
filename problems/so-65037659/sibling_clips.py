"""Spoken digits, one wave file a digit."""

import tensorflow as tf


def waveform(name):
    samples, _ = tf.audio.decode_wav(tf.io.read_file(name), desired_channels=1)  # finding
    return tf.squeeze(samples, axis=-1)


class Clips:
    def __init__(self, names):
        self.names = names

    def array(self):
        return tf.stack([waveform(name) for name in self.names])
