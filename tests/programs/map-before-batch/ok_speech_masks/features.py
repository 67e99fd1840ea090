"""Audio features; librosa where TensorFlow has nothing."""
import librosa
import numpy as np
import tensorflow as tf

from text import TextEncoder


class Featurizer:
    def __init__(self, rate=16000, mels=80):
        self.rate = rate
        self.mels = mels
        self.encoder = TextEncoder()

    def _mel(self, path):
        signal, _ = librosa.load(path.numpy().decode(), sr=self.rate)
        signal, _ = librosa.effects.trim(signal, top_db=30)
        mel = librosa.feature.melspectrogram(y=signal, sr=self.rate, n_mels=self.mels, hop_length=160)
        return np.log(mel.T + 1e-6).astype(np.float32)

    def __call__(self, path, sentence):
        mel = tf.py_function(self._mel, [path], tf.float32)
        mel.set_shape([None, self.mels])
        return mel, self.encoder(sentence)


def mask_time(mel, tokens, width=30):
    """SpecAugment's time mask, at its own place in each utterance."""
    frames = tf.shape(mel)[0]
    size = tf.random.uniform([], 0, width, tf.int32)
    start = tf.random.uniform([], 0, tf.maximum(frames - size, 1), tf.int32)
    at = tf.range(frames)
    keep = tf.cast((at < start) | (at >= start + size), mel.dtype)
    return mel * keep[:, tf.newaxis], tokens


def normalize(mel, tokens):
    """Per-utterance mean and variance, over its own frames only."""
    mean, variance = tf.nn.moments(mel, axes=[0])
    return (mel - mean) * tf.math.rsqrt(variance + 1e-5), tokens
