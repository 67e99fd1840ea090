# requires: tensorflow==2.10
"""Verses, written letter by letter. After the TensorFlow tutorial, with changes."""

import os

import numpy as np
import tensorflow as tf

path = tf.keras.utils.get_file("verses.txt", "https://example.org/verses.txt")
text = open(path, "rb").read().decode("utf-8")
vocabulary = sorted(set(text))

to_ids = tf.keras.layers.StringLookup(vocabulary=vocabulary, mask_token=None)
to_letters = tf.keras.layers.StringLookup(vocabulary=vocabulary, invert=True, mask_token=None)
ids = to_ids(tf.strings.unicode_split(text, "UTF-8"))

LENGTH, BATCH = 100, 64


def split(chunk):
    return chunk[:-1], chunk[1:]


def sequences():
    chunks = tf.data.Dataset.from_tensor_slices(ids).batch(LENGTH + 1, drop_remainder=True)
    pairs = chunks.map(split, num_parallel_calls=tf.data.AUTOTUNE)
    return pairs.shuffle(10_000).batch(BATCH, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


class Poet(tf.keras.Model):
    def __init__(self, size, width=256, units=1024):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(size, width)
        self.gru = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)
        self.dense = tf.keras.layers.Dense(size)

    def call(self, inputs, states=None, training=False):
        x = self.embedding(inputs)
        if states is None:
            states = self.gru.get_initial_state(x)
        x, states = self.gru(x, initial_state=states, training=training)
        return self.dense(x), states


class OneStep(tf.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    @tf.function
    def next_letter(self, letters, states, temperature):
        logits, states = self.model(to_ids(letters), states=states)
        chosen = tf.random.categorical(logits[:, -1, :] / temperature, 1)
        return to_letters(chosen), states


def write(one_step, start, length=1000):
    letters, states = tf.constant([[start]]), None
    result = [letters]
    for n in range(length):
        temperature = 1.0 - 0.5 * n / length
        letters, states = one_step.next_letter(letters, states, temperature)  # finding: retracing
        result.append(letters)
    return tf.strings.join([r[0, 0] for r in result])


def write_steadily(one_step, start, length=1000):
    letters, states = tf.constant([[start]]), None
    result = [letters]
    for _ in range(length):
        letters, states = one_step.next_letter(letters, states, tf.constant(0.8))
        result.append(letters)
    return tf.strings.join([r[0, 0] for r in result])


@tf.function(jit_compile=True)
def smoothed(counts, window):
    kernel = tf.ones([window, 1, 1]) / window
    return tf.nn.conv1d(counts[None, :, None], kernel, 1, "SAME")[0, :, 0]


def frequencies():
    """How often each letter occurs, per page."""
    pages = tf.reshape(ids[: len(ids) // 2000 * 2000], [-1, 2000])
    table = tf.map_fn(lambda page: tf.math.bincount(page, minlength=100, maxlength=100), pages, fn_output_signature=tf.int64)  # finding: row-wise-map
    return tf.cast(table, tf.float32)


def windows_compared():
    first = frequencies()[:, 5]
    for window in range(1, 60):
        print(window, float(tf.math.reduce_std(smoothed(first, window))))  # finding: retracing


def main():
    model = Poet(to_ids.vocabulary_size())
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    prefix = os.path.join("checkpoints", "{epoch}")
    keep = tf.keras.callbacks.ModelCheckpoint(prefix, save_weights_only=True)
    batches = 0
    for _ in sequences():
        batches = batches + 1
    print(batches, "batches")
    model.fit(sequences(), epochs=20, callbacks=[keep])
    one_step = OneStep(model)
    print(write(one_step, "O").numpy().decode(), write_steadily(one_step, "A").numpy().decode())
    windows_compared()
    print(np.unique(list(text)).size)


if __name__ == "__main__":
    main()
