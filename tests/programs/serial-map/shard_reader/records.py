"""Reading of sharded records."""
import tensorflow as tf
from tensorflow.data import Dataset

FEATURES = {
    "audio": tf.io.FixedLenFeature([], tf.string),
    "speaker": tf.io.FixedLenFeature([], tf.int64),
}


def read_shards(pattern, cycle=8, seed=None):
    shards = Dataset.list_files(pattern, seed=seed)
    return shards.interleave(tf.data.TFRecordDataset, cycle_length=cycle)  # finding: serial-map


def parse(record):
    example = tf.io.parse_single_example(record, FEATURES)
    audio = tf.io.decode_raw(example["audio"], tf.int16)
    audio = tf.cast(audio[:48000], tf.float32) / 32768.0
    return tf.pad(audio, [[0, 48000 - tf.shape(audio)[0]]]), example["speaker"]


def spectrogram(audio, speaker):
    frames = tf.signal.stft(audio, frame_length=400, frame_step=160, fft_length=512)
    return tf.math.log(tf.abs(frames) + 1e-5), speaker
