# requires: tensorflow==2.13.*
"""How large a network does the Higgs data need? Trains four sizes and writes their histories."""

import pickle
import sys

import tensorflow as tf
from tensorflow.keras import layers, regularizers

FEATURES = 28
N_VALIDATION = int(1e4)
N_TRAIN = int(1e6)
BATCH_SIZE = 500
STEPS_PER_EPOCH = N_TRAIN // BATCH_SIZE


def pack_row(*row):
    label = row[0]
    features = tf.stack(row[1:], axis=-1)
    return features, label


def clip(features, label):
    return tf.clip_by_value(features, -5.0, 5.0), label


def load(path):
    rows = tf.data.experimental.CsvDataset(path, [float()] * (FEATURES + 1), compression_type="GZIP")
    packed = rows.map(pack_row, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    return packed


def datasets(path):
    packed = load(path)
    validate = packed.take(N_VALIDATION).cache().batch(BATCH_SIZE)
    train = packed.skip(N_VALIDATION).take(N_TRAIN)
    train = train.map(clip, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    train = train.shuffle(10_000).repeat().batch(BATCH_SIZE).prefetch(tf.data.AUTOTUNE)
    return train, validate


def mlp(width, depth, dropout=0.0, l2=0.0):
    stack = [layers.Input((FEATURES,))]
    for _ in range(depth):
        stack.append(layers.Dense(width, activation="elu", kernel_regularizer=regularizers.l2(l2)))
        if dropout:
            stack.append(layers.Dropout(dropout))
    stack.append(layers.Dense(1))
    return tf.keras.Sequential(stack)


SIZES = {
    "tiny": lambda: mlp(16, 1),
    "small": lambda: mlp(16, 2),
    "medium": lambda: mlp(64, 3),
    "large": lambda: mlp(512, 4, dropout=0.5, l2=1e-4),
}


def optimizer():
    schedule = tf.keras.optimizers.schedules.InverseTimeDecay(
        0.001, decay_steps=STEPS_PER_EPOCH * 1000, decay_rate=1, staircase=False
    )
    return tf.keras.optimizers.Adam(schedule)


def fit(name, train, validate, epochs):
    model = SIZES[name]()
    model.compile(
        optimizer=optimizer(),
        loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    stop = tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=20)
    return model.fit(
        train,
        steps_per_epoch=STEPS_PER_EPOCH,
        epochs=epochs,
        validation_data=validate,
        callbacks=[stop],
        verbose=2,
    ).history


def main():
    train, validate = datasets(sys.argv[1])
    histories = {name: fit(name, train, validate, 100) for name in SIZES}
    with open("histories.pkl", "wb") as f:
        pickle.dump(histories, f)


if __name__ == "__main__":
    main()
