import csv
import sys

import tensorflow as tf
from tensorflow.keras import layers

from features import Featurizer, mask_time, normalize
from text import ALPHABET

AUTO = tf.data.AUTOTUNE


def read(path):
    with open(path) as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    return [row["path"] for row in rows], [row["sentence"] for row in rows]


def dataset(path, training, batch_size=16):
    paths, sentences = read(path)
    ds = tf.data.Dataset.from_tensor_slices((paths, sentences))
    if training:
        ds = ds.shuffle(len(paths))
    ds = ds.map(Featurizer(), num_parallel_calls=AUTO)
    ds = ds.map(normalize, num_parallel_calls=AUTO)
    if training:
        ds = ds.map(mask_time, num_parallel_calls=AUTO)
    return ds.padded_batch(batch_size, ([None, 80], [None])).prefetch(AUTO)


def ctc_loss(y_true, logits):
    label_length = tf.math.count_nonzero(y_true, axis=-1)
    logit_length = tf.fill([tf.shape(logits)[0]], tf.shape(logits)[1])
    return tf.nn.ctc_loss(
        tf.cast(y_true, tf.int32), logits, label_length, logit_length, logits_time_major=False, blank_index=-1
    )


def build():
    inputs = layers.Input((None, 80))
    x = layers.Conv1D(256, 11, strides=2, padding="same", activation="relu")(inputs)
    for _ in range(4):
        x = layers.Bidirectional(layers.GRU(256, return_sequences=True))(x)
        x = layers.Dropout(0.2)(x)
    return tf.keras.Model(inputs, layers.Dense(len(ALPHABET) + 2)(x))


if __name__ == "__main__":
    model = build()
    model.compile(tf.keras.optimizers.Adam(3e-4), ctc_loss)
    model.fit(dataset(sys.argv[1], True), validation_data=dataset(sys.argv[2], False), epochs=50)
    model.save_weights("speech.h5")
