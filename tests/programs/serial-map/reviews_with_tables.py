# requires: tensorflow==2.11.0
"""Bidirectional LSTM on product reviews that lie in gzipped files of JSON lines."""
import json
import gzip
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.data import Dataset


@dataclass
class Config:
    root: Path = Path("reviews")
    vocabulary: int = 20_000
    length: int = 200
    batch: int = 128
    epochs: int = 4
    buckets: tuple = (50, 100, 200)
    hidden: list = field(default_factory=lambda: [64, 32])


def read_lines(path):
    with gzip.open(path.decode(), "rt") as lines:
        for line in lines:
            review = json.loads(line)
            yield review["text"], review["stars"] >= 4


def shards_to_reviews(paths):
    def one(path):
        return Dataset.from_generator(
            read_lines,
            output_signature=(
                tf.TensorSpec((), tf.string),
                tf.TensorSpec((), tf.bool),
            ),
            args=(path,),
        )

    return Dataset.from_tensor_slices([str(p) for p in paths]).interleave(
        one, cycle_length=4, num_parallel_calls=4
    )


def make_vectorizer(texts, config):
    layer = tf.keras.layers.TextVectorization(
        max_tokens=config.vocabulary, output_sequence_length=config.length
    )
    layer.adapt(texts.batch(1024))
    return layer


def load_categories(path):
    keys = tf.constant(path.read_text().split())
    init = tf.lookup.KeyValueTensorInitializer(keys, tf.range(len(keys), dtype=tf.int64))
    return tf.lookup.StaticVocabularyTable(init, num_oov_buckets=1)


def drop_words(tokens, label, rate):
    keep = tf.random.uniform(tf.shape(tokens)) >= rate
    return tf.where(keep, tokens, tf.ones_like(tokens)), label


def spell(text):
    words = text.decode("utf-8", "ignore").split()
    return " ".join(w for w in words if not w.startswith("http")).encode()


def clean(text, label):
    cleaned = tf.numpy_function(spell, [text], tf.string)
    cleaned.set_shape(())
    return cleaned, label


class Pipeline:
    def __init__(self, config):
        self.config = config
        self.paths = sorted(config.root.glob("*.jsonl.gz"))
        self.train = self.prepare(self.paths[1:])
        self.valid = self.prepare(self.paths[:1])

    def prepare(self, paths):
        return shards_to_reviews(paths).map(clean)  # note: serial-map

    def fit_vocabulary(self):
        texts = self.train.map(lambda text, _: text)
        self.vectorizer = make_vectorizer(texts.take(50_000), self.config)

    def training_batches(self):
        vectorize = self.vectorizer
        batches = self.train.shuffle(10_000).batch(self.config.batch)
        batches = batches.map(lambda text, label: (vectorize(text), label))  # note: serial-map
        noisy = batches.map(partial(drop_words, rate=0.1))  # note: serial-map
        return noisy.prefetch(2)

    def validation_batches(self):
        def to_ids(text, label):
            return self.vectorizer(text), label

        batches = self.valid.batch(self.config.batch)
        return batches.map(to_ids, num_parallel_calls=tf.data.AUTOTUNE).prefetch(2)

    def lengths(self):
        words = self.train.map(lambda text, _: tf.size(tf.strings.split(text)))
        return np.fromiter(words.as_numpy_iterator(), dtype=np.int64)


def build(config):
    model = tf.keras.Sequential([tf.keras.layers.Embedding(config.vocabulary, 64, mask_zero=True)])
    for units in config.hidden[:-1]:
        model.add(tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(units, return_sequences=True)))
    model.add(tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(config.hidden[-1])))
    model.add(tf.keras.layers.Dense(1))
    model.compile("adam", tf.keras.losses.BinaryCrossentropy(from_logits=True), metrics=["accuracy"])
    return model


def by_category(config, pipeline):
    """How many reviews each category has."""
    table = load_categories(config.root / "categories.txt")
    firsts = pipeline.train.map(lambda text, _: table.lookup(tf.strings.split(text)[0]))  # note: serial-map
    counts = np.zeros(int(table.size()), dtype=np.int64)
    for batch in firsts.batch(4096).as_numpy_iterator():
        np.add.at(counts, batch, 1)
    return counts


def main():
    config = Config()
    pipeline = Pipeline(config)
    pipeline.fit_vocabulary()
    print("median length", np.median(pipeline.lengths()))
    print("reviews per category", by_category(config, pipeline))
    model = build(config)
    model.fit(
        pipeline.training_batches(),
        validation_data=pipeline.validation_batches(),
        epochs=config.epochs,
    )


if __name__ == "__main__":
    main()
