"""Sentiment with Keras 2 on TF 2.4."""
import numpy as np
import tensorflow as tf
from tensorflow.keras.preprocessing.sequence import pad_sequences

VOCABULARY, LENGTH = 20000, 200


def read(path):
    texts, labels = [], []
    with open(path) as handle:
        for line in handle:
            label, text = line.rstrip("\n").split("\t")
            texts.append([hash(w) % VOCABULARY for w in text.split()])
            labels.append(int(label))
    return pad_sequences(texts, LENGTH), np.array(labels)


def model():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(VOCABULARY, 64, input_length=LENGTH),
            tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(64)),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


def train(path):
    x, y = read(path)
    net = model()
    net.compile("adam", "binary_crossentropy")
    net.fit(tf.constant(x), tf.constant(y), batch_size=64, epochs=3)  # finding: tensor-fed-fit
    return net


def train_from_dataset(path):
    x, y = read(path)
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x)).repeat().batch(64)
    net = model()
    net.compile("adam", "binary_crossentropy")
    net.fit(ds, steps_per_epoch=len(x), epochs=3)  # finding: steps-as-samples
    return net


def train_counted(path, batch=64):
    x, y = read(path)
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x)).repeat().batch(batch)
    net = model()
    net.compile("adam", "binary_crossentropy")
    net.fit(ds.prefetch(1), steps_per_epoch=len(x) // batch, epochs=3)
    return net


def interactive(net):
    while True:
        text = input("> ")
        row = pad_sequences([[hash(w) % VOCABULARY for w in text.split()]], LENGTH)
        print(net.predict(row)[0])


def label_reviews(net, reviews):
    labels = {}
    for key, text in reviews.items():
        row = pad_sequences([[hash(w) % VOCABULARY for w in text.split()]], LENGTH)
        labels[key] = float(net.predict(row)[0, 0])  # finding: predict-per-item
    return labels


def label_in_batches(net, rows, size=4096):
    parts = []
    for start in range(0, len(rows), size):
        parts.append(net.predict(rows[start : start + size], batch_size=size))
    return np.concatenate(parts)


def count_records(paths):
    n = 0
    for path in paths:
        for _ in tf.data.TFRecordDataset(path):  # finding: record-count
            n += 1
    return n


def first_lengths(dataset, limit):
    n = total = 0
    for row in dataset:
        n += 1
        total += len(row)
        if n == limit:
            break
    return total / n
