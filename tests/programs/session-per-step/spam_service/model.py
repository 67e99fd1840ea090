"""Text CNN that tells spam from ham; loading and scoring."""
import os

import numpy as np
import tensorflow as tf


class Vocabulary(object):
    def __init__(self, path):
        with open(path, encoding="utf8") as handle:
            self.index = {word.rstrip("\n"): i + 1 for i, word in enumerate(handle)}

    def encode(self, text, length):
        ids = [self.index.get(word, 0) for word in text.lower().split()[:length]]
        return np.pad(ids, (0, length - len(ids)), mode="constant")


class SpamModel(object):
    def __init__(self, model_dir, length=200):
        self.length = length
        self.checkpoint = tf.train.latest_checkpoint(model_dir)
        self.vocab = Vocabulary(os.path.join(model_dir, "vocab.txt"))
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.saver = tf.train.import_meta_graph(self.checkpoint + ".meta")
            self.ids = self.graph.get_tensor_by_name("ids:0")
            self.keep = self.graph.get_tensor_by_name("keep_prob:0")
            self.scores = self.graph.get_tensor_by_name("scores:0")

    def score(self, texts):
        batch = np.stack([self.vocab.encode(text, self.length) for text in texts])
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            self.saver.restore(sess, self.checkpoint)
            return sess.run(self.scores, feed_dict={self.ids: batch, self.keep: 1.0})[:, 1]
