# requires: tensorflow==2.1.*
"""Pairs of subtitles for a translator; several languages, several files each."""
import collections
import os
import random

import tensorflow as tf

Pair = collections.namedtuple("Pair", "source target")
LANGUAGES = ("de", "fr", "nl")
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]


class Vocabulary:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            words = SPECIAL + [line.strip() for line in f]
        self.size = len(words)
        init = tf.lookup.KeyValueTensorInitializer(words, tf.range(len(words), dtype=tf.int64))
        self.table = tf.lookup.StaticHashTable(init, default_value=3)

    def ids(self, sentence):
        tokens = tf.strings.split(tf.strings.lower(sentence))
        inner = self.table.lookup(tokens)
        return tf.concat([[tf.constant(1, tf.int64)], inner, [tf.constant(2, tf.int64)]], 0)


class Subtitles:
    def __init__(self, root, language, longest=60):
        self.root = root
        self.language = language
        self.longest = longest
        self.vocabularies = Pair(
            Vocabulary(os.path.join(root, "vocab.en")),
            Vocabulary(os.path.join(root, "vocab." + language)),
        )

    def _split(self, line):
        columns = tf.strings.split(line, "\t")
        source = tf.strings.regex_replace(columns[0], r"[^\w\s']", " ")
        target = tf.strings.regex_replace(columns[1], r"[^\w\s']", " ")
        return self.vocabularies.source.ids(source), self.vocabularies.target.ids(target)

    def _short(self, source, target):
        return tf.maximum(tf.size(source), tf.size(target)) <= self.longest

    def dataset(self, batch_size, training=True):
        pattern = os.path.join(self.root, self.language, "train-*.tsv" if training else "valid.tsv")
        lines = tf.data.Dataset.list_files(pattern).flat_map(tf.data.TextLineDataset)
        pairs = lines.map(self._split)  # note: serial-map
        pairs = pairs.filter(self._short)
        if training:
            pairs = pairs.shuffle(20000).repeat()
        return pairs.padded_batch(batch_size, padded_shapes=([None], [None]))


def build(source_size, target_size, width=512):
    source = tf.keras.Input((None,), dtype=tf.int64)
    target = tf.keras.Input((None,), dtype=tf.int64)
    encoded, h, c = tf.keras.layers.LSTM(width, return_sequences=True, return_state=True)(
        tf.keras.layers.Embedding(source_size, width, mask_zero=True)(source)
    )
    decoded = tf.keras.layers.LSTM(width, return_sequences=True)(
        tf.keras.layers.Embedding(target_size, width, mask_zero=True)(target), initial_state=[h, c]
    )
    context = tf.keras.layers.Attention()([decoded, encoded])
    joined = tf.keras.layers.Concatenate()([decoded, context])
    return tf.keras.Model([source, target], tf.keras.layers.Dense(target_size)(joined))


def main(root="subtitles", steps=200000):
    data = {language: Subtitles(root, language) for language in LANGUAGES}
    batches = {language: iter(one.dataset(64)) for language, one in data.items()}
    models = {
        language: build(one.vocabularies.source.size, one.vocabularies.target.size)
        for language, one in data.items()
    }
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizers = {language: tf.keras.optimizers.Adam(3e-4) for language in LANGUAGES}
    steppers = {}
    for language, model in models.items():

        @tf.function
        def step(source, target, model=model, optimizer=optimizers[language]):
            with tf.GradientTape() as tape:
                loss = loss_of(target[:, 1:], model([source, target[:, :-1]], training=True))
            grads = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(grads, model.trainable_variables))
            return loss

        steppers[language] = step
    for i in range(steps):
        language = random.choice(LANGUAGES)
        loss = steppers[language](*next(batches[language]))
        if i % 1000 == 0:
            print(i, language, float(loss))


if __name__ == "__main__":
    main()
