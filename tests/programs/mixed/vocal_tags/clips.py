"""Sound clips for the tagger. Maps of stateless functions run in parallel by themselves here."""
import numpy as np
import soundfile
import tensorflow as tf

RATE = 16000
AUTO = tf.data.AUTOTUNE


def decode(path):
    audio, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1, desired_samples=RATE)
    return tf.squeeze(audio, -1)


def spectrum(audio):
    stft = tf.signal.stft(audio, frame_length=400, frame_step=160)
    return tf.math.log(tf.abs(stft) + 1e-6)


def shift(audio):
    return tf.roll(audio, tf.random.uniform((), -1600, 1600, tf.int32), axis=0)


def read_flac(path):
    samples, _ = soundfile.read(path.decode())
    return samples[:RATE].astype(np.float32)


class Clips:
    def __init__(self, paths, tags, training):
        self.paths = paths
        self.tags = tags
        self.training = training

    def _sounds(self):
        sounds = tf.data.Dataset.from_tensor_slices(self.paths)
        sounds = sounds.map(decode)
        if self.training:
            sounds = sounds.map(shift)  # finding: serial-map
            sounds = sounds.map(self._noisy)  # finding: serial-map
        return sounds.map(spectrum)

    def _noisy(self, audio):
        return audio + tf.random.normal(tf.shape(audio), stddev=0.01)

    def _flac(self):
        sounds = tf.data.Dataset.from_tensor_slices(self.paths)
        return sounds.map(  # finding: serial-map
            lambda path: tf.ensure_shape(tf.numpy_function(read_flac, [path], tf.float32), [RATE])
        )

    def _stateless_noise(self, sounds):
        counter = tf.data.Dataset.counter()
        return tf.data.Dataset.zip((sounds, counter)).map(
            lambda audio, i: audio + tf.random.stateless_normal(tf.shape(audio), [i, 1], stddev=0.01)
        )

    def batches(self, size):
        sounds = self._sounds()
        labels = tf.data.Dataset.from_tensor_slices(self.tags)
        both = tf.data.Dataset.zip((sounds, labels))
        if self.training:
            both = both.shuffle(2048).repeat()
        return both.batch(size).prefetch(AUTO)

    def archive(self, size):
        raw = self._stateless_noise(self._flac())
        return raw.map(spectrum, num_parallel_calls=AUTO).batch(size).prefetch(AUTO)
