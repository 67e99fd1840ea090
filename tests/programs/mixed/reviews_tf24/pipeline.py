import json
import os
import re
from abc import ABC, abstractmethod

import tensorflow as tf

AUTO = tf.data.experimental.AUTOTUNE


class Pipeline(ABC):
    batch_size = 32

    def __init__(self, folder):
        self.folder = folder

    @abstractmethod
    def source(self):
        ...

    @abstractmethod
    def prepare(self, *row):
        ...

    def build(self):
        ds = self.source()
        ds = ds.map(self.prepare)  # finding: serial-map
        return self.finish(ds)

    def finish(self, ds):
        return ds.padded_batch(self.batch_size).prefetch(AUTO)


class Lines(Pipeline):
    def source(self):
        return tf.data.TextLineDataset(tf.io.gfile.glob(os.path.join(self.folder, "*.txt")))

    def prepare(self, line):
        line = tf.strings.lower(line)
        line = tf.strings.regex_replace(line, r"[^a-z ]", " ")
        return tf.strings.to_hash_bucket_fast(tf.strings.split(line), 30_000)


def tokenise_py(text):
    words = re.findall(r"\w+", text.numpy().decode())
    return [hash(w) % 30_000 for w in words]


class Reviews(Pipeline):
    batch_size = 64

    def source(self):
        def rows():
            with open(os.path.join(self.folder, "reviews.jsonl")) as handle:
                for line in handle:
                    row = json.loads(line)
                    yield row["text"], row["stars"]

        return tf.data.Dataset.from_generator(rows, (tf.string, tf.int32), ((), ()))

    def prepare(self, text, stars):
        tokens = tf.py_function(tokenise_py, [text], tf.int32)
        tokens.set_shape([None])
        return tokens, stars > 3


def lengths(ds):
    return ds.filter(lambda t, y: tf.size(t) > 3)


def classify_inputs(folder, batch=128, workers=None):
    ds = Reviews(folder).source()
    ds = ds.map(lambda text, stars: (tf.strings.lower(text), stars), num_parallel_calls=workers or 4)  # finding: map-before-batch
    ds = ds.map(lambda text, stars: (text, tf.cast(stars > 3, tf.float32)), num_parallel_calls=AUTO)  # finding: map-before-batch
    ds = ds.batch(batch)
    return ds.prefetch(AUTO)


def smoke():
    ds = tf.data.Dataset.range(5).map(lambda x: x + 1)
    return list(ds.as_numpy_iterator())


def fit(folder):
    vectorize = tf.keras.layers.experimental.preprocessing.TextVectorization(20_000, output_sequence_length=200)
    raw = classify_inputs(folder)
    vectorize.adapt(raw.map(lambda text, y: text, num_parallel_calls=AUTO))
    ready = raw.map(lambda text, y: (vectorize(text), y), num_parallel_calls=AUTO).cache()
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(20_000, 64),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile("adam", tf.keras.losses.BinaryCrossentropy(from_logits=True))
    model.fit(ready, epochs=5)
    lines = Lines(folder).build()
    for batch in lines.take(3):
        print(batch.shape)
    return model


if __name__ == "__main__":
    print(smoke())
    fit("corpus").save("out")
