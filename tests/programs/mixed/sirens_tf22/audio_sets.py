"""A fluent builder of audio sets, shared by the siren and the glass-break detector."""
import pathlib

import tensorflow as tf

RATE = 16000


def read_wave(path, label):
    audio, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
    return tf.squeeze(audio, -1), label


def fit_length(seconds):
    wanted = int(seconds * RATE)

    def cut(wave, label):
        wave = wave[:wanted]
        return tf.pad(wave, [[0, wanted - tf.shape(wave)[0]]]), label

    return cut


def log_mel(bins=64):
    matrix = tf.signal.linear_to_mel_weight_matrix(bins, 257, RATE)

    def spectrogram(wave, label):
        magnitude = tf.abs(tf.signal.stft(wave, 400, 160, 512))
        return tf.math.log(tf.tensordot(magnitude, matrix, 1) + 1e-6), label

    return spectrogram


class AudioSet:
    def __init__(self, paths, labels):
        self._set = tf.data.Dataset.from_tensor_slices((list(paths), list(labels)))
        self._count = len(labels)

    @classmethod
    def from_folder(cls, folder):
        root = pathlib.Path(folder)
        names = sorted(item.name for item in root.iterdir())
        paths = [str(path) for path in sorted(root.glob("*/*.wav"))]
        return cls(paths, [names.index(pathlib.Path(path).parent.name) for path in paths])

    def shuffled(self, seed=0):
        self._set = self._set.shuffle(self._count, seed=seed)
        return self

    def waves(self, seconds):
        self._set = self._set.map(read_wave)  # finding: serial-map
        self._set = self._set.map(fit_length(seconds), tf.data.experimental.AUTOTUNE)
        return self

    def cached(self, path=""):
        self._set = self._set.cache(path)
        return self

    def features(self, function, **options):
        self._set = self._set.map(function, **options)
        return self

    def batches(self, size):
        self._set = self._set.batch(size).prefetch(2)
        return self

    def __iter__(self):
        return iter(self._set)

    @property
    def dataset(self):
        return self._set
