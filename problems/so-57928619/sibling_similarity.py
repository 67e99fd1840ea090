"""Sentence vectors from an encoder that lives in one session."""

import tensorflow as tf

v1 = tf.compat.v1


class Similarity:
    def __init__(self, words, width):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.table = v1.get_variable("words", (words, width))
            self.session = v1.Session()
            self.session.run(v1.global_variables_initializer())

    def embed(self, sentences):
        return tf.reduce_sum(tf.gather(self.table, sentences), axis=1)  # finding

    def vectors(self, sentences):
        with self.graph.as_default():
            return self.session.run(self.embed(sentences))

    def vector(self, sentence):
        return self.vectors(sentence[None])[0]

    def close(self):
        self.session.close()
