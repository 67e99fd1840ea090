# requires: tensorflow==1.15
"""Sentence vectors from the Universal Sentence Encoder (hub, TF1 format)."""
import tensorflow as tf
import tensorflow_hub as hub

USE = "https://tfhub.dev/google/universal-sentence-encoder-large/3"


class Encoder(object):
    def __init__(self, url=USE):
        self.module = hub.Module(url)
        self.sess = tf.Session()
        self.sess.run([tf.global_variables_initializer(), tf.tables_initializer()])

    def encode(self, sentences):
        vectors = self.module(sentences)  # finding: graph-growth
        return self.sess.run(vectors)


class FedEncoder(object):
    """Same thing with the graph laid out up front."""

    def __init__(self, url=USE):
        with tf.Graph().as_default() as g:
            self.text = tf.placeholder(tf.string, [None])
            self.out = tf.nn.l2_normalize(hub.Module(url)(self.text), 1)
            init = tf.group(tf.global_variables_initializer(), tf.tables_initializer())
        self.sess = tf.Session(graph=g)
        self.sess.run(init)

    def encode(self, sentences):
        return self.sess.run(self.out, {self.text: sentences})
