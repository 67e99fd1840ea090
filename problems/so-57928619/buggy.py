"""Embeds the reviews of a table, chunk by chunk, with a sentence encoder in graph mode."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()

REVIEWS = 200
CHUNK = 8
WORDS = 300
WIDTH = 32


class SentenceEncoder:
    """Has the interface of a module from a hub: calling it gives the embeddings of sentences."""

    def __init__(self, words, width):
        rng = np.random.default_rng(57)
        table = rng.normal(size=(words, width)).astype("float32")
        mixing = rng.normal(scale=width**-0.5, size=(width, width)).astype("float32")
        self.table = tf.compat.v1.get_variable("table", initializer=table)
        self.mixing = tf.compat.v1.get_variable("mixing", initializer=mixing)

    def __call__(self, sentences):
        vectors = tf.nn.embedding_lookup(self.table, sentences)  # finding
        hidden = tf.nn.relu(tf.tensordot(vectors, self.mixing, 1))  # finding
        return tf.math.l2_normalize(tf.reduce_mean(hidden, axis=1), axis=1)  # finding


def embed_reviews(session, encoder, reviews):
    embedded = []
    for start in range(0, len(reviews), CHUNK):
        chunk = reviews[start : start + CHUNK]
        embedded.append(session.run(encoder(chunk)))
    return np.concatenate(embedded)


def main():
    reviews = np.random.default_rng(1).integers(0, WORDS, size=(REVIEWS, 12))
    encoder = SentenceEncoder(WORDS, WIDTH)
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        return embed_reviews(session, encoder, reviews)


if __name__ == "__main__":
    print(main()[:2, :4])
