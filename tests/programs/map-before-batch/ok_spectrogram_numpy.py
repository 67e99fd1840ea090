# requires: tensorflow==2.6.*
"""Bird songs: spectrograms by librosa, and a batch-wise normalisation."""
import argparse
import glob

import librosa
import numpy as np
import tensorflow as tf

SR = 22050


def _melspec(path):
    wave, _ = librosa.load(path.decode(), sr=SR, duration=5.0)
    wave = np.pad(wave, (0, SR * 5 - len(wave)))
    mel = librosa.feature.melspectrogram(y=wave, sr=SR, n_mels=128)
    return librosa.power_to_db(mel).astype(np.float32)


def melspec(path, label):
    (mel,) = tf.numpy_function(_melspec, [path], [tf.float32])
    mel.set_shape([128, None])
    return mel[..., tf.newaxis], label


def spec_augment(mel, label):
    start = tf.random.uniform([], 0, 100, tf.int32)
    width = tf.random.uniform([], 0, 12, tf.int32)
    rows = tf.range(tf.shape(mel)[0])
    keep = tf.logical_or(rows < start, rows >= start + width)
    return tf.where(keep[:, tf.newaxis, tf.newaxis], mel, tf.reduce_min(mel)), label


def per_song(mel, label):
    mean, var = tf.nn.moments(mel, axes=[0, 1, 2])
    return (mel - mean) / tf.sqrt(var + 1e-6), label


def batch_norm(mels, labels):
    return tf.clip_by_value((mels + 40.0) / 40.0, -1.0, 1.0), labels


def make(root, batch_size, training):
    files = sorted(glob.glob(root + "/*/*.ogg"))
    names = sorted({f.split("/")[-2] for f in files})
    labels = [names.index(f.split("/")[-2]) for f in files]
    ds = tf.data.Dataset.from_tensor_slices((files, labels))
    ds = ds.map(melspec, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.cache(root + "/mel.cache")
    if training:
        ds = ds.shuffle(2000).map(spec_augment, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(per_song, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(batch_size)
    return ds.map(batch_norm, num_parallel_calls=tf.data.AUTOTUNE).prefetch(2), len(names)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--batch-size", type=int, default=32)
    args = parser.parse_args()
    train, n = make(args.root + "/train", args.batch_size, True)
    model = tf.keras.Sequential([
        tf.keras.layers.Conv2D(16, 3, activation="relu", input_shape=(128, None, 1)),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(n, activation="softmax"),
    ])
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(train, epochs=30)


if __name__ == "__main__":
    main()
