"""Input pipelines shared by the two course assignments (char-RNN and pets)."""
import os

import numpy as np
import tensorflow as tf

SEQ = 120
AUTOTUNE = tf.data.AUTOTUNE


class CharCorpus:
    def __init__(self, path):
        text = open(path, encoding="utf8").read()
        self.chars = sorted(set(text))
        index = {c: i for i, c in enumerate(self.chars)}
        self.ids = np.array([index[c] for c in text], dtype=np.int32)

    @staticmethod
    def shift(chunk):
        return chunk[:-1], chunk[1:]

    def batches(self, bs=64):
        seqs = tf.data.Dataset.from_tensor_slices(self.ids).batch(SEQ + 1, drop_remainder=True)
        return seqs.shuffle(10_000).map(self.shift, num_parallel_calls=AUTOTUNE).batch(bs, drop_remainder=True)


def _read(path, label):
    img = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    img = tf.image.resize_with_pad(img, 224, 224)
    return tf.keras.applications.efficientnet.preprocess_input(img), label


def _mask(path):
    m = tf.io.decode_png(tf.io.read_file(path), channels=1)
    return tf.cast(tf.image.resize(m, (224, 224), method="nearest") - 1, tf.int32)


def _cutout(img, label):
    y = tf.random.uniform([], 0, 224 - 48, tf.int32)
    x = tf.random.uniform([], 0, 224 - 48, tf.int32)
    hole = tf.pad(tf.zeros([48, 48, 1]), [[y, 224 - 48 - y], [x, 224 - 48 - x], [0, 0]], constant_values=1.0)
    return img * hole, label


def _exif(path):
    import PIL.Image

    return np.int32(PIL.Image.open(path.decode()).getexif().get(274, 1))


def pets(root, names, bs=32, train=True):
    paths = [os.path.join(root, n + ".jpg") for n in names]
    labels = np.array([int(n[0].isupper()) for n in names], np.int32)
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    if train:
        ds = ds.shuffle(len(paths))
    ds = ds.map(_read, num_parallel_calls=AUTOTUNE)
    if train:
        ds = ds.map(_cutout, num_parallel_calls=AUTOTUNE)
    return ds.batch(bs).prefetch(AUTOTUNE)


def orientation(root, names, bs=256):
    ds = tf.data.Dataset.from_tensor_slices([os.path.join(root, n + ".jpg") for n in names])
    return ds.map(lambda p: tf.numpy_function(_exif, [p], tf.int32), num_parallel_calls=8).batch(bs)


def flatten_pixels(images, bs=512):
    """(N, 28, 28) -> (N, 784) rows for the logistic regression baseline."""
    ds = tf.data.Dataset.from_tensor_slices(images)
    ds = ds.map(lambda im: tf.reshape(im, [784]), num_parallel_calls=AUTOTUNE)
    return ds.batch(bs)


def scaled(images, labels, bs=512):
    ds = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(60_000).batch(bs)
    return ds.map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, y), num_parallel_calls=AUTOTUNE)


if __name__ == "__main__":
    corpus = CharCorpus("shakespeare.txt")
    rnn = tf.keras.Sequential([tf.keras.layers.Embedding(len(corpus.chars), 64), tf.keras.layers.LSTM(512, return_sequences=True), tf.keras.layers.Dense(len(corpus.chars))])
    rnn.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    rnn.fit(corpus.batches(), epochs=20)
    (xt, yt), _ = tf.keras.datasets.mnist.load_data()
    lin = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
    lin.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), ["accuracy"])
    lin.fit(scaled(xt, yt), epochs=5)
    print(sum(1 for _ in flatten_pixels(xt)))
