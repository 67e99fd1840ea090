"""Ranks documents for a query with a two-tower model."""

from functools import cached_property, lru_cache

import tensorflow as tf


class Towers(tf.keras.Model):
    def __init__(self, vocab, width):
        super().__init__()
        self.embed = tf.keras.layers.Embedding(vocab, width)
        self.query = tf.keras.layers.Dense(width, "relu")
        self.document = tf.keras.layers.Dense(width, "relu")

    def call(self, ids):
        return self.document(tf.reduce_mean(self.embed(ids), axis=1))

    def encode_query(self, ids):
        return self.query(tf.reduce_mean(self.embed(ids), axis=1))


class Ranker:
    def __init__(self, towers, documents):
        self.towers = towers
        self.vectors = tf.Variable(documents, trainable=False)
        self._dot = tf.function(lambda q: tf.linalg.matvec(self.vectors, q))
        self._by_length = {}

    @property
    def encoder(self):
        return tf.function(self.towers.encode_query)  # finding: compiled-per-call

    @cached_property
    def document_encoder(self):
        return tf.function(self.towers.call, reduce_retracing=True)

    def scores(self, ids):
        return self._dot(self.encoder(ids)[0])

    def topk(self, ids, k):
        @tf.function(jit_compile=True)  # finding: compiled-per-call
        def best(scores):
            return tf.math.top_k(scores, k)

        return best(self.scores(ids))

    def similar(self, ids, k=20):
        return tf.math.top_k(self._dot(self.document_encoder(ids)[0]), k)

    def for_length(self, length):
        if length not in self._by_length:
            signature = [tf.TensorSpec([None, length], tf.int32)]
            self._by_length[length] = tf.function(self.towers.encode_query, signature)
        return self._by_length[length]


@lru_cache(maxsize=None)
def pooled(kind):
    @tf.function
    def run(vectors):
        return tf.reduce_max(vectors, axis=0) if kind == "max" else tf.reduce_mean(vectors, axis=0)

    return run


def load(path):
    towers = Towers(50000, 128)
    towers.load_weights(path + "/towers")
    documents = tf.io.parse_tensor(tf.io.read_file(path + "/documents"), tf.float32)
    return Ranker(towers, documents)
