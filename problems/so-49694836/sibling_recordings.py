"""Recordings of a folder, decoded as they are needed."""

import tensorflow as tf


class Recordings:
    def __init__(self, folder):
        self.pattern = f"{folder}/*.wav"

    @staticmethod
    def decode(path):
        audio, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_samples=4000)
        audio = audio * tf.random.uniform([], 0.8, 1.2)
        spectrum = tf.abs(tf.signal.stft(audio[:, 0], 256, 128))
        features = tf.reduce_mean(spectrum, axis=0)
        return features, tf.reduce_max(features, keepdims=True)

    def batches(self, size):
        return (
            tf.data.Dataset.list_files(self.pattern, shuffle=False)
            .shuffle(100, seed=1)
            .map(self.decode)  # finding
            .batch(size)
            .prefetch(tf.data.AUTOTUNE)
        )
