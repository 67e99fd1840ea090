# requires: tensorflow==2.16.*
"""Sentiment of product reviews with a small 1-D convolutional network (Keras 3)."""

import json
import re
import string
from pathlib import Path

import keras
import tensorflow as tf
from keras import layers

ROOT = Path("reviews")
VOCAB = 20_000
LENGTH = 200


def read_jsonl(path):
    texts, stars = [], []
    with open(path, encoding="utf-8") as f:
        for line in f:
            item = json.loads(line)
            texts.append(item["text"])
            stars.append(int(item["stars"] >= 4))
    return texts, stars


def standardize(text):
    text = tf.strings.lower(text)
    text = tf.strings.regex_replace(text, "<br />", " ")
    return tf.strings.regex_replace(text, f"[{re.escape(string.punctuation)}]", "")


vectorize = layers.TextVectorization(
    max_tokens=VOCAB,
    standardize=standardize,
    output_mode="int",
    output_sequence_length=LENGTH,
)


def to_ids(text, label):
    return vectorize(text), tf.cast(label, tf.float32)


def make_dataset(split, batch_size, training):
    texts, labels = read_jsonl(ROOT / f"{split}.jsonl")
    ds = tf.data.Dataset.from_tensor_slices((texts, labels))
    if training:
        ds = ds.shuffle(len(texts), reshuffle_each_iteration=True)
    ds = ds.map(to_ids, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
    ds = ds.batch(batch_size)
    return ds.prefetch(tf.data.AUTOTUNE)


def adapt():
    texts, _ = read_jsonl(ROOT / "train.jsonl")
    vectorize.adapt(tf.data.Dataset.from_tensor_slices(texts).batch(1024))


def build():
    ids = keras.Input((LENGTH,), dtype="int64")
    x = layers.Embedding(VOCAB, 64)(ids)
    x = layers.Dropout(0.4)(x)
    x = layers.Conv1D(128, 7, strides=3, activation="relu")(x)
    x = layers.Conv1D(128, 7, strides=3, activation="relu")(x)
    x = layers.GlobalMaxPooling1D()(x)
    x = layers.Dense(64, activation="relu")(x)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))


def export(model, path):
    """From raw strings, for the service."""
    text = keras.Input((1,), dtype="string")
    keras.Model(text, model(vectorize(text))).save(path)


if __name__ == "__main__":
    keras.utils.set_random_seed(7)
    adapt()
    train = make_dataset("train", 64, True)
    valid = make_dataset("valid", 256, False)
    model = build()
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(train, validation_data=valid, epochs=8, callbacks=[keras.callbacks.EarlyStopping(patience=2)])
    export(model, "reviews.keras")
