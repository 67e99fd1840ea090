import numpy as np
import tensorflow as tf
from tensorflow.contrib.framework.python.ops import audio_ops


def read_mfcc(path):
    with tf.Graph().as_default():
        contents = tf.read_file(path)
        audio = audio_ops.decode_wav(contents, desired_channels=1)
        spectrogram = audio_ops.audio_spectrogram(audio.audio, window_size=400, stride=160)
        mfcc = audio_ops.mfcc(spectrogram, audio.sample_rate, dct_coefficient_count=26)
        with tf.Session() as sess:  # finding: session-per-step
            return sess.run(mfcc)[0]


def normalize(frames, mean, std):
    return (frames - mean) / np.maximum(std, 1e-5)


class FeatureReader(object):
    """Reads many recordings with one graph and one session."""

    def __init__(self):
        with tf.Graph().as_default() as graph:
            self.path = tf.placeholder(tf.string, [])
            audio = audio_ops.decode_wav(tf.read_file(self.path), desired_channels=1)
            spectrogram = audio_ops.audio_spectrogram(audio.audio, window_size=400, stride=160)
            self.mfcc = audio_ops.mfcc(spectrogram, audio.sample_rate)
        self.sess = tf.Session(graph=graph)

    def __call__(self, path):
        return self.sess.run(self.mfcc, {self.path: path})[0]
