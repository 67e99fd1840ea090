"""Log-mel features, decorrelated with the statistics of the training set."""
import numpy as np
import tensorflow as tf


def whitening(covariance, epsilon):
    values, vectors = tf.linalg.eigh(covariance)
    scale = tf.linalg.diag(tf.math.rsqrt(values + epsilon))
    return vectors @ scale @ tf.transpose(vectors)


class Frontend:
    def __init__(self, rate=16000, frame=640, hop=320, mels=80):
        self.frame = frame
        self.hop = hop
        self.mel_matrix = tf.signal.linear_to_mel_weight_matrix(
            mels, frame // 2 + 1, rate, 60.0, 7600.0
        )

    def spectrogram(self, waves):
        return tf.abs(tf.signal.stft(waves, self.frame, self.hop, pad_end=True))

    def __call__(self, waves):
        mel = tf.tensordot(self.spectrogram(waves), self.mel_matrix, 1)
        return tf.math.log(mel + 1e-6)


class Decorrelated(Frontend):
    """Stacks neighbouring frames and takes their correlation away."""

    def __init__(self, statistics, context=9, epsilon=1e-3, **options):
        super().__init__(**options)
        blob = np.load(statistics)
        self.mean = tf.constant(blob["mean"], tf.float32)
        self.covariance = tf.constant(blob["covariance"], tf.float32)
        self.context = context
        self.epsilon = epsilon

    def __call__(self, waves):
        frames = super().__call__(waves)
        stacked = tf.concat([tf.roll(frames, k, axis=1) for k in range(self.context)], axis=-1)
        matrix = whitening(self.covariance, self.epsilon)  # note: loop-invariant-op
        return (stacked - self.mean) @ matrix
