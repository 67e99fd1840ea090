"""Poems, letter by letter. Sequences are cut first; what is mapped afterwards slices one sequence."""

import sys

import tensorflow as tf

LENGTH = 120


def corpus(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    letters = sorted(set(text))
    ids = tf.keras.layers.StringLookup(vocabulary=letters, mask_token=None)
    return ids(tf.strings.unicode_split(text, "UTF-8")), ids


def split_input_target(sequence):
    return sequence[:-1], sequence[1:]


def make(ids, batch_size):
    sequences = tf.data.Dataset.from_tensor_slices(ids).batch(LENGTH + 1, drop_remainder=True)
    pairs = sequences.map(split_input_target, num_parallel_calls=tf.data.AUTOTUNE)
    return pairs.shuffle(10_000).batch(batch_size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


class Poet(tf.keras.Model):
    def __init__(self, letters, width=256, units=1024):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(letters, width)
        self.gru = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)
        self.dense = tf.keras.layers.Dense(letters)

    def call(self, ids, states=None, return_state=False, training=False):
        x = self.embedding(ids, training=training)
        x, states = self.gru(x, initial_state=states, training=training)
        x = self.dense(x, training=training)
        return (x, states) if return_state else x


@tf.function
def next_letter(model, ids, states, temperature):
    logits, states = model(ids, states=states, return_state=True)
    return tf.random.categorical(logits[:, -1] / temperature, 1), states


def write_poem(model, lookup, seed, length=400, temperature=0.8):
    back = tf.keras.layers.StringLookup(vocabulary=lookup.get_vocabulary(), invert=True, mask_token=None)
    ids = lookup(tf.strings.unicode_split([seed], "UTF-8")).to_tensor()
    states, out = None, [seed]
    for _ in range(length):
        ids, states = next_letter(model, ids, states, temperature)
        out.append(ids)
    letters = [tf.strings.reduce_join(back(i)).numpy().decode() for i in out[1:]]
    return seed + "".join(letters)


class Sample(tf.keras.callbacks.Callback):
    def __init__(self, lookup, seed):
        super().__init__()
        self.lookup, self.seed = lookup, seed

    def on_epoch_end(self, epoch, logs=None):
        print(write_poem(self.model, self.lookup, self.seed, length=200))


if __name__ == "__main__":
    ids, lookup = corpus(sys.argv[1])
    model = Poet(lookup.vocabulary_size())
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(make(ids, 64), epochs=20, callbacks=[Sample(lookup, "O ")])
