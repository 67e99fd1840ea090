"""Bird-call classification from field recordings.

Folder layout: <root>/<species>/*.wav (mono, 32 kHz). Usage: python birdcalls.py ROOT
"""
import pathlib
import random
import sys

import keras
import tensorflow as tf

RATE = 32_000
CLIP = 5 * RATE
FRAME, HOP, MELS = 1024, 512, 96
BATCH = 32

MEL_MATRIX = tf.signal.linear_to_mel_weight_matrix(MELS, FRAME // 2 + 1, RATE, 150.0, 15_000.0)


def random_clip(wave):
    wave = tf.pad(wave, [[0, tf.maximum(0, CLIP - tf.shape(wave)[0])]])
    wave = tf.image.random_crop(wave, [CLIP])
    gain = tf.random.uniform([], 0.5, 1.5)
    noise = tf.random.normal([CLIP], stddev=tf.random.uniform([], 0.0, 0.01))
    return gain * wave + noise


def first_clip(wave):
    wave = wave[:CLIP]
    return tf.pad(wave, [[0, CLIP - tf.shape(wave)[0]]])


def log_mel(wave):
    wave = tf.ensure_shape(wave, [CLIP])
    magnitude = tf.abs(tf.signal.stft(wave, FRAME, HOP))
    return tf.math.log(tf.square(magnitude) @ MEL_MATRIX + 1e-6)[..., tf.newaxis]


def load_train(path, label):
    wave, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
    return log_mel(random_clip(wave[:, 0])), label


def load_eval(path, label):
    wave, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
    return log_mel(first_clip(wave[:, 0])), label


def pipeline(files, labels, training):
    ds = tf.data.Dataset.from_tensor_slices((files, labels))
    if training:
        ds = ds.shuffle(len(files))
        ds = ds.map(load_train, num_parallel_calls=tf.data.AUTOTUNE)
    else:
        ds = ds.map(load_eval, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(BATCH).prefetch(tf.data.AUTOTUNE)


def build_model(n_species):
    inputs = keras.Input((1 + (CLIP - FRAME) // HOP, MELS, 1))
    x = keras.layers.BatchNormalization()(inputs)
    for width in (32, 64, 128, 192):
        x = keras.layers.Conv2D(width, 3, padding="same", use_bias=False)(x)
        x = keras.layers.BatchNormalization()(x)
        x = keras.layers.Activation("relu")(x)
        x = keras.layers.MaxPooling2D()(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    x = keras.layers.Dropout(0.3)(x)
    return keras.Model(inputs, keras.layers.Dense(n_species)(x))


def main(root):
    root = pathlib.Path(root)
    species = sorted(p.name for p in root.iterdir() if p.is_dir())
    items = [(str(f), k) for k, name in enumerate(species) for f in (root / name).glob("*.wav")]
    random.Random(3).shuffle(items)
    cut = int(0.9 * len(items))
    train = pipeline(*map(list, zip(*items[:cut])), training=True)
    val = pipeline(*map(list, zip(*items[cut:])), training=False)

    model = build_model(len(species))
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        train,
        validation_data=val,
        epochs=60,
        callbacks=[keras.callbacks.EarlyStopping(patience=8, restore_best_weights=True)],
    )
    model.save("birdcalls.keras")


if __name__ == "__main__":
    main(sys.argv[1])
