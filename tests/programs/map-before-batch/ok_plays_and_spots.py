# requires: tensorflow==2.4.*
"""Writes plays, after the tutorial; windows of characters and sunspots alike."""
import argparse

import numpy as np
import tensorflow as tf

AUTO = tf.data.experimental.AUTOTUNE


def split_input_target(chunk):
    input_text = chunk[:-1]
    target_text = chunk[1:]
    return input_text, target_text


def char_dataset(text, seq_length, batch_size):
    vocab = sorted(set(text))
    index = {u: i for i, u in enumerate(vocab)}
    ids = np.array([index[c] for c in text])
    chars = tf.data.Dataset.from_tensor_slices(ids)
    sequences = chars.batch(seq_length + 1, drop_remainder=True)
    dataset = sequences.map(split_input_target, num_parallel_calls=AUTO)
    dataset = dataset.shuffle(10000).batch(batch_size, drop_remainder=True)
    return vocab, dataset.prefetch(AUTO)


def windowed(series, window, batch_size, buffer):
    ds = tf.data.Dataset.from_tensor_slices(tf.expand_dims(series, -1))
    ds = ds.window(window + 1, shift=1, drop_remainder=True)
    ds = ds.flat_map(lambda w: w.batch(window + 1))
    ds = ds.shuffle(buffer)
    ds = ds.map(lambda w: (w[:-1], w[-1]), num_parallel_calls=AUTO)
    return ds.batch(batch_size).prefetch(1)


class CharModel(tf.keras.Model):
    def __init__(self, vocab_size, width=256, units=1024):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(vocab_size, width)
        self.gru = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)
        self.dense = tf.keras.layers.Dense(vocab_size)

    def call(self, inputs, states=None, return_state=False, training=False):
        x = self.embedding(inputs, training=training)
        if states is None:
            states = self.gru.get_initial_state(x)
        x, states = self.gru(x, initial_state=states, training=training)
        x = self.dense(x, training=training)
        return (x, states) if return_state else x


def sunspots(path, window=60):
    series = np.genfromtxt(path, delimiter=",", skip_header=1, usecols=2, dtype=np.float32)
    train = windowed(series[:3000], window, 32, 1000)
    model = tf.keras.Sequential([
        tf.keras.layers.Conv1D(60, 5, padding="causal", activation="relu", input_shape=[None, 1]),
        tf.keras.layers.LSTM(60, return_sequences=True),
        tf.keras.layers.LSTM(60),
        tf.keras.layers.Dense(1),
    ])
    model.compile(tf.keras.optimizers.SGD(1e-5, momentum=0.9), tf.keras.losses.Huber(), ["mae"])
    model.fit(train, epochs=100, verbose=2)
    return model


def shakespeare(path):
    text = open(path, "rb").read().decode("utf-8")
    vocab, dataset = char_dataset(text, 100, 64)
    model = CharModel(len(vocab))
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(dataset, epochs=20)
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["plays", "spots"])
    parser.add_argument("path")
    args = parser.parse_args()
    {"plays": shakespeare, "spots": sunspots}[args.what](args.path)
