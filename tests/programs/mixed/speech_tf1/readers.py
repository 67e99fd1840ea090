import numpy as np
import tensorflow.compat.v1 as tf


def spectrogram(wav, frame_length=400, frame_step=160):
    stft = tf.signal.stft(wav, frame_length, frame_step)
    return tf.log(tf.abs(stft) + 1e-6)


def read_wav(path, label):
    audio, _ = tf.audio.decode_wav(tf.read_file(path), desired_channels=1)
    return tf.squeeze(audio, -1), label


def add_noise(wav, label):
    return wav + tf.random.normal(tf.shape(wav), stddev=0.01), label


class SpeechReader(object):
    """Reads one-second clips, for training and for tests."""

    def __init__(self, paths, labels, batch_size):
        self._paths = np.asarray(paths)
        self._labels = np.asarray(labels)
        self._batch_size = batch_size
        self._clips = tf.data.Dataset.from_tensor_slices((self._paths, self._labels))

    def _decoded(self):
        return self._clips.shuffle(len(self._paths)).map(read_wav)  # finding: serial-map

    def training(self):
        clips = self._decoded().map(add_noise)  # finding: serial-map
        features = clips.map(lambda w, y: (spectrogram(w), y), num_parallel_calls=4)
        batches = features.repeat().batch(self._batch_size, drop_remainder=True)
        return batches.prefetch(4)

    def testing(self):
        clips = self._clips.apply(tf.data.experimental.map_and_batch(read_wav, self._batch_size, num_parallel_calls=4))
        return clips.map(lambda w, y: (spectrogram(w), y), num_parallel_calls=4).prefetch(4)

    def legacy(self):
        return self._clips.map_with_legacy_function(read_wav).batch(self._batch_size).prefetch(1)  # finding: serial-map
