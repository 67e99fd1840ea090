# requires: tensorflow==2.16.1
import librosa
import numpy as np
import tensorflow as tf


def mel(path):
    wave, rate = librosa.load(path.decode(), sr=22050, duration=5.0)
    return librosa.feature.melspectrogram(y=wave, sr=rate).astype(np.float32)


def spectrograms(paths, batch_size):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(lambda p: tf.numpy_function(mel, [p], tf.float32))  # finding: serial-map
    ds = ds.map(lambda s: tf.ensure_shape(s, [128, None]), num_parallel_calls=4)
    return ds.padded_batch(batch_size).prefetch(1)


if __name__ == "__main__":
    import sys

    for batch in spectrograms(sys.argv[1:], 8):
        print(batch.shape)
