"""Spectral front ends.  All of them run eagerly, clips differ in length."""
import math

import numpy as np
import tensorflow as tf

from settings import Mel


class Frontend:
    def __init__(self, cfg: Mel):
        self.cfg = cfg

    def power(self, wav):
        c = self.cfg
        spec = tf.signal.stft(wav, c.n_fft, c.hop, window_fn=tf.signal.hann_window, pad_end=True)
        return tf.math.square(tf.abs(spec))

    def project(self, power):
        raise NotImplementedError

    def __call__(self, wav):
        return self.to_db(self.project(self.power(wav)))

    def to_db(self, mel):
        db = 10.0 * tf.math.log(tf.maximum(mel, 1e-10)) / math.log(10.0)
        return tf.maximum(db, tf.reduce_max(db) - self.cfg.top_db)


class MelFrontend(Frontend):
    def filterbank(self):
        c = self.cfg
        return tf.signal.linear_to_mel_weight_matrix(c.bands, c.bins, c.rate, c.fmin, c.fmax)

    def project(self, power):
        return tf.matmul(power, self.filterbank())


class BarkFrontend(Frontend):
    """Keeps its matrix, the bark warping is computed once."""

    def __init__(self, cfg):
        super().__init__(cfg)
        hz = np.linspace(0.0, cfg.rate / 2, cfg.bins)
        bark = 26.81 * hz / (1960.0 + hz) - 0.53
        centres = np.linspace(bark[1], bark[-1], cfg.bands)
        self.matrix = tf.constant(np.maximum(0.0, 1.0 - np.abs(bark[:, None] - centres[None])), tf.float32)

    def project(self, power):
        return power @ self.matrix
