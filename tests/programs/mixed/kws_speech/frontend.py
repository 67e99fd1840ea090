import tensorflow as tf

RATE = 16000
WORDS = ["yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go"]


def read_wav(path, label):
    audio = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1, desired_samples=RATE)
    return tf.squeeze(audio.audio, -1), label


def spectrum(wave):
    st = tf.signal.stft(wave, 480, 160, 512)
    return tf.abs(st)


def log_mel(wave, label):
    w = tf.signal.linear_to_mel_weight_matrix(64, 257, RATE, 60.0, 7600.0)
    mel = tf.tensordot(spectrum(wave), w, 1)
    lm = tf.math.log(mel + 1e-6)
    return lm - tf.reduce_mean(lm, 0, keepdims=True), label


def mfcc(wave, label):
    lm, label = log_mel(wave, label)
    return tf.signal.mfccs_from_log_mel_spectrograms(lm)[..., :20], label


def shift(wave, label):
    k = tf.random.uniform([], -1600, 1600, tf.int32)
    return tf.roll(wave, k, 0), label


FRONTENDS = {"mfcc": mfcc, "logmel": log_mel}
