# requires: tensorflow==2.14.*
"""Speech enhancement: clean speech is mixed with noise as it is read."""
import glob
import logging

import numpy as np
import soundfile
import tensorflow as tf

log = logging.getLogger("enhance")
RATE, SECONDS = 16000, 3


def read_wave(path):
    audio, _ = tf.audio.decode_wav(tf.io.read_file(path), 1, RATE * SECONDS)
    return tf.squeeze(audio, -1)


def read_flac(path):
    def load(name):
        wave, rate = soundfile.read(name.decode(), dtype="float32")
        assert rate == RATE
        return np.resize(wave, RATE * SECONDS)

    wave = tf.numpy_function(load, [path], tf.float32)
    wave.set_shape([RATE * SECONDS])
    return wave


def mix(speech, noise):
    snr = tf.random.uniform([], -5.0, 20.0)
    power = tf.reduce_mean(speech ** 2) / (tf.reduce_mean(noise ** 2) + 1e-8)
    gain = tf.sqrt(power / 10.0 ** (snr / 10.0))
    shift = tf.random.uniform([], 0, RATE, tf.int32)
    noisy = speech + gain * tf.roll(noise, shift, 0)
    return spectrum(noisy), spectrum(speech)


def spectrum(wave):
    return tf.abs(tf.signal.stft(wave, 512, 128))[..., tf.newaxis]


class Mixtures:
    def __init__(self, speech, noise, batch_size=32):
        self.speech_files = sorted(glob.glob(speech))
        self.noise_files = sorted(glob.glob(noise))
        self.batch_size = batch_size
        log.info("%d voices, %d noises", len(self.speech_files), len(self.noise_files))

    def _speech(self):
        files = tf.data.Dataset.from_tensor_slices(self.speech_files)
        return files.shuffle(len(self.speech_files)).map(read_flac)  # finding: serial-map

    def _noise(self):
        files = tf.data.Dataset.from_tensor_slices(self.noise_files)
        return files.shuffle(len(self.noise_files)).repeat().map(read_wave)

    def build(self):
        pairs = tf.data.Dataset.zip((self._speech(), self._noise()))
        mixed = pairs.map(mix, num_parallel_calls=None)  # note: serial-map
        return mixed.batch(self.batch_size).prefetch(tf.data.AUTOTUNE)


def unet():
    inputs = tf.keras.Input([None, 257, 1])
    x = tf.keras.layers.Conv2D(32, 5, padding="same", activation="relu")(inputs)
    x = tf.keras.layers.Conv2D(32, 5, padding="same", activation="relu")(x)
    mask = tf.keras.layers.Conv2D(1, 1, activation="sigmoid")(x)
    return tf.keras.Model(inputs, inputs * mask)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    model = unet()
    model.compile("adam", "mae")
    model.fit(Mixtures("speech/*.flac", "noise/*.wav").build(), epochs=100)
