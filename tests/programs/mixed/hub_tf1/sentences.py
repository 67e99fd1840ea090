import numpy as np
import tensorflow as tf
import tensorflow_hub as hub

MODULE = "https://tfhub.dev/google/universal-sentence-encoder/2"


class Encoder(object):
    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.module = hub.Module(MODULE)
            self.text = tf.placeholder(tf.string, [None])
            self.out = self.module(self.text)
            init = tf.group(tf.global_variables_initializer(), tf.tables_initializer())
        self.sess = tf.Session(graph=self.graph)
        self.sess.run(init)

    def __call__(self, texts):
        return self.sess.run(self.out, {self.text: texts})

    def encode_growing(self, chunks):
        rows = []
        with self.graph.as_default():
            for chunk in chunks:
                rows.append(self.sess.run(self.module(chunk)))  # finding: graph-growth
        return np.concatenate(rows)

    def encode(self, chunks):
        return np.concatenate([self(chunk) for chunk in chunks])


def encode_once(texts):
    with tf.Graph().as_default():
        out = hub.Module(MODULE)(texts)  # finding: model-per-turn
        with tf.Session() as sess:  # finding: session-per-step
            sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
            return sess.run(out)


def similarity(sess, a, b):
    a, b = tf.nn.l2_normalize(a, 1), tf.nn.l2_normalize(b, 1)  # finding: graph-growth
    return sess.run(tf.matmul(a, b, transpose_b=True))  # finding: graph-growth
