# requires: tensorflow==2.8.*
"""Ranks answers to questions; hashed letters of both, with a lookup of categories."""
import argparse
import json

import tensorflow as tf

AUTO = tf.data.AUTOTUNE
CATEGORIES = ["billing", "delivery", "returns", "account", "other"]


class Encoder:
    def __init__(self, buckets=2 ** 16, length=128):
        self.buckets, self.length = buckets, length
        self.lookup = tf.keras.layers.StringLookup(vocabulary=CATEGORIES)

    def clean(self, text):
        text = tf.strings.lower(text)
        return tf.strings.strip(tf.strings.regex_replace(text, r"[^a-z0-9 ]", " "))

    def __call__(self, row):
        return {
            "question": self.clean(row["question"]),
            "answer": self.clean(row["answer"]),
            "category": self.lookup(row["category"]),
        }, tf.cast(row["good"], tf.float32)


def read(path):
    rows = [json.loads(line) for line in open(path)]
    columns = {name: [row[name] for row in rows] for name in ("question", "answer", "category", "good")}
    return tf.data.Dataset.from_tensor_slices(columns), len(rows)


def batches(path, size, training=False):
    ds, count = read(path)
    if training:
        ds = ds.shuffle(count)
    encoder = Encoder()
    ds = ds.map(encoder, AUTO)  # finding: map-before-batch
    ds = ds.batch(size)
    return ds.prefetch(AUTO)


def tower(vectorize, name):
    inputs = tf.keras.Input((), dtype=tf.string, name=name)
    x = tf.keras.layers.Embedding(20000, 64, mask_zero=True)(vectorize(inputs))
    return inputs, tf.keras.layers.GlobalAveragePooling1D()(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("--size", type=int, default=512)
    args = parser.parse_args()
    train, valid = batches(args.train, args.size, True), batches(args.valid, 2048)
    vectorize = tf.keras.layers.TextVectorization(20000, output_sequence_length=128)
    vectorize.adapt(train.map(lambda x, y: x["question"]))
    q, q_vec = tower(vectorize, "question")
    a, a_vec = tower(vectorize, "answer")
    c = tf.keras.Input((), dtype=tf.int64, name="category")
    c_vec = tf.keras.layers.Embedding(len(CATEGORIES) + 1, 8)(c)
    x = tf.keras.layers.Concatenate()([q_vec, a_vec, c_vec])
    x = tf.keras.layers.Dense(64, activation="relu")(x)
    model = tf.keras.Model([q, a, c], tf.keras.layers.Dense(1, activation="sigmoid")(x))
    model.compile("adam", "binary_crossentropy", metrics=["AUC"])
    model.fit(train, validation_data=valid, epochs=5)


if __name__ == "__main__":
    main()
