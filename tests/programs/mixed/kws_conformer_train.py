"""Keyword spotting on a 1.2M clip in-house corpus.  TF 2.21 / Keras 3.

Shards live in a bucket; noise beds are 4 s .npy files on local NVMe.
"""
import argparse
import glob
import os

import keras
import numpy as np
import tensorflow as tf

SR = 16000
N_LABELS = 35
SPEC = {
    "wav": tf.io.FixedLenFeature([], tf.string),
    "word": tf.io.FixedLenFeature([], tf.int64),
}


def unpack(raw):
    ex = tf.io.parse_single_example(raw, SPEC)
    pcm, _ = tf.audio.decode_wav(ex["wav"], desired_channels=1, desired_samples=SR)
    return tf.squeeze(pcm, -1), ex["word"]


def jitter(pcm, word):
    """Random gain, shift and coloured noise."""
    shift = tf.random.uniform([], -1600, 1600, dtype=tf.int32)
    gain = tf.random.uniform([], 0.5, 1.4)
    hiss = tf.random.normal(tf.shape(pcm), stddev=0.003)
    spec = tf.signal.rfft(hiss)
    tilt = tf.cast(tf.linspace(1.0, 0.2, SR // 2 + 1), tf.complex64)
    hiss = tf.signal.irfft(spec * tilt)
    return tf.roll(pcm, shift, axis=0) * gain + hiss, word


MEL = tf.signal.linear_to_mel_weight_matrix(64, 257, SR, 60.0, 7600.0)


def log_mel(pcm, word):
    stft = tf.abs(tf.signal.stft(pcm, 400, 160, fft_length=512))
    return tf.math.log(tf.matmul(stft, MEL) + 1e-6), word


def _load_bed(path):
    bed = np.load(path.decode())
    return bed[:SR].astype(np.float32)


def noise_beds(folder):
    paths = tf.data.Dataset.from_tensor_slices(sorted(glob.glob(os.path.join(folder, "*.npy"))))
    paths = paths.shuffle(20000).repeat()
    return paths.map(lambda p: tf.ensure_shape(tf.numpy_function(_load_bed, [p], tf.float32), [SR]))  # finding: serial-map


def training_set(args):
    shards = tf.data.Dataset.list_files(args.bucket + "/train-*.tfrecord")
    raw = shards.interleave(tf.data.TFRecordDataset, cycle_length=16, block_length=8)  # finding: serial-map
    clips = raw.map(unpack).shuffle(50_000).repeat()
    clips = clips.map(jitter)  # finding: serial-map
    both = tf.data.Dataset.zip(clips, noise_beds(args.beds)).batch(args.batch, drop_remainder=True)
    noisy = both.map(lambda cw, bed: (cw[0] + 0.1 * bed, cw[1]))
    return noisy.map(log_mel).prefetch(tf.data.AUTOTUNE)


def dev_set(args):
    shards = tf.data.Dataset.list_files(args.bucket + "/dev-*.tfrecord", shuffle=False)
    raw = tf.data.TFRecordDataset(shards, num_parallel_reads=8)
    return raw.map(unpack).batch(args.batch).map(log_mel).cache()


def build(dim=144, blocks=6):
    x = inp = keras.Input((98, 64))
    x = keras.layers.Dense(dim)(x)
    for _ in range(blocks):
        y = keras.layers.LayerNormalization()(x)
        y = keras.layers.MultiHeadAttention(4, dim // 4)(y, y)
        x = keras.layers.Add()([x, y])
        y = keras.layers.SeparableConv1D(dim, 15, padding="same", activation="swish")(x)
        x = keras.layers.Add()([x, y])
    x = keras.layers.GlobalAveragePooling1D()(x)
    return keras.Model(inp, keras.layers.Dense(N_LABELS)(x))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--bucket", default="gs://kws-corpus/v4")
    ap.add_argument("--beds", default="/scratch/beds")
    ap.add_argument("--batch", type=int, default=512)
    ap.add_argument("--epochs", type=int, default=40)
    args = ap.parse_args()

    probe = tf.data.Dataset.range(3).map(lambda i: tf.random.normal([98, 64]) * tf.cast(i, tf.float32))
    model = build()
    for ex in probe:
        model(ex[None])
    model.compile(
        keras.optimizers.AdamW(2e-3),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(training_set(args), validation_data=dev_set(args), epochs=args.epochs, steps_per_epoch=2000)


if __name__ == "__main__":
    main()
