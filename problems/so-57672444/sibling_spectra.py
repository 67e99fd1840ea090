"""Log spectra of recordings."""

import tensorflow as tf


def log_spectrum(session, recording):
    frames = tf.signal.stft(tf.cast(recording, tf.float32), 256, 128)  # finding
    loudness = tf.math.log(tf.abs(frames) + 1e-6)  # finding
    return session.run(loudness)
