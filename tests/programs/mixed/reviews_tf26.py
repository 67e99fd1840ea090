# requires: tensorflow==2.6.0
"""Sentiment of reviews: text is turned to numbers in the pipeline."""

import argparse

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers.experimental.preprocessing import TextVectorization

VOCABULARY = 20000
AUTO = tf.data.AUTOTUNE


def standardize(text):
    lowered = tf.strings.lower(text)
    return tf.strings.regex_replace(lowered, "<br />", " ")


def make_vectorizer(texts, length):
    layer = TextVectorization(
        max_tokens=VOCABULARY, standardize=standardize, output_sequence_length=length
    )
    layer.adapt(texts.batch(1024))
    return layer


class Reviews:
    """Lines of `label TAB text`, from files of a folder."""

    def __init__(self, pattern, batch_size, length):
        self.batch_size = batch_size
        self.length = length
        self.files = tf.data.Dataset.list_files(pattern)
        self.vectorizer = None

    def lines(self):
        return self.files.interleave(
            lambda name: tf.data.TextLineDataset(name).skip(1), num_parallel_calls=AUTO
        )

    def split(self, line):
        parts = tf.strings.split(line, "\t")
        return parts[1], tf.strings.to_number(parts[0], tf.int32)

    def labelled(self):
        return self.lines().map(self.split, num_parallel_calls=AUTO)

    def adapt(self):
        self.vectorizer = make_vectorizer(self.labelled().map(lambda text, label: text), self.length)

    def to_ids(self, text, label):
        return self.vectorizer(text), label

    def train(self):
        rows = self.labelled().map(self.to_ids, num_parallel_calls=AUTO)  # finding: map-before-batch
        rows = rows.shuffle(10000)
        return rows.batch(self.batch_size).prefetch(AUTO)

    def test(self):
        rows = self.labelled().batch(self.batch_size)
        return rows.map(self.to_ids, num_parallel_calls=AUTO).prefetch(AUTO)

    def weighted(self, weights):
        """With a weight for each class: one number looked up for each row."""
        weights = tf.constant(weights)

        def with_weight(ids, label):
            return ids, label, tf.gather(weights, label)

        rows = self.labelled().shuffle(10000).batch(self.batch_size).map(self.to_ids, num_parallel_calls=AUTO)
        rows = rows.unbatch().filter(lambda ids, label: label >= 0)
        rows = rows.map(with_weight, num_parallel_calls=AUTO)  # finding: map-before-batch
        return rows.batch(self.batch_size).prefetch(AUTO)

    def windows(self, width):
        """Random cuts, each of its own place."""

        def cut(ids, label):
            return tf.image.random_crop(ids, [width]), label

        rows = self.labelled().shuffle(10000).batch(self.batch_size).map(self.to_ids, num_parallel_calls=AUTO)
        rows = rows.unbatch().map(cut, num_parallel_calls=AUTO)
        return rows.batch(self.batch_size).prefetch(AUTO)


def build(length):
    inputs = keras.Input((length,), dtype="int64")
    x = keras.layers.Embedding(VOCABULARY, 64)(inputs)
    x = keras.layers.Conv1D(64, 5, activation="relu")(x)
    x = keras.layers.GlobalMaxPooling1D()(x)
    outputs = keras.layers.Dense(1, activation="sigmoid")(x)
    return keras.Model(inputs, outputs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", default="data/train/*.tsv")
    parser.add_argument("--test", default="data/test/*.tsv")
    parser.add_argument("--length", type=int, default=250)
    parser.add_argument("--balanced", action="store_true")
    args = parser.parse_args()
    train, test = Reviews(args.train, 64, args.length), Reviews(args.test, 64, args.length)
    train.adapt()
    test.vectorizer = train.vectorizer
    model = build(args.length)
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(train.weighted([1.0, 4.0]) if args.balanced else train.train(), epochs=10, validation_data=test.test())
