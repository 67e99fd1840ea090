import tensorflow as tf


def log_mel(wave, rate=16000, bins=80):
    spectrum = tf.abs(tf.signal.stft(wave, 400, 160, 512))
    mel = tf.signal.linear_to_mel_weight_matrix(bins, 257, rate, 20.0, 8000.0)
    return tf.math.log(tf.matmul(spectrum, mel) + 1e-6)


def log_mel_with(wave, mel):
    spectrum = tf.abs(tf.signal.stft(wave, 400, 160, 512))
    return tf.math.log(tf.matmul(spectrum, mel) + 1e-6)
