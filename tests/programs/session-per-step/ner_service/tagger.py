"""BiLSTM-CRF tagger; the graph is built once, weights come from a checkpoint."""
import pickle

import numpy as np
import tensorflow as tf


class Tagger(object):
    def __init__(self, model_dir, hidden=200, dim=100, max_len=128):
        self.model_dir = model_dir
        self.max_len = max_len
        with open(model_dir + "/vocab.pkl", "rb") as f:
            self.word2id, self.id2tag = pickle.load(f)
        self.graph = tf.Graph()
        with self.graph.as_default():
            self._build(len(self.word2id), len(self.id2tag), hidden, dim)
            self.saver = tf.train.Saver()

    def _build(self, n_words, n_tags, hidden, dim):
        self.words = tf.placeholder(tf.int32, [None, self.max_len], name="words")
        self.lengths = tf.placeholder(tf.int32, [None], name="lengths")
        table = tf.get_variable("embeddings", [n_words, dim])
        x = tf.nn.embedding_lookup(table, self.words)
        fw, bw = tf.nn.rnn_cell.LSTMCell(hidden), tf.nn.rnn_cell.LSTMCell(hidden)
        outputs, _ = tf.nn.bidirectional_dynamic_rnn(fw, bw, x, self.lengths, dtype=tf.float32)
        logits = tf.layers.dense(tf.concat(outputs, -1), n_tags)
        transitions = tf.get_variable("transitions", [n_tags, n_tags])
        self.best, _ = tf.contrib.crf.crf_decode(logits, transitions, self.lengths)

    def encode(self, sentences):
        ids = np.zeros((len(sentences), self.max_len), dtype=np.int32)
        lengths = []
        for row, tokens in enumerate(sentences):
            tokens = tokens[: self.max_len]
            lengths.append(len(tokens))
            ids[row, : len(tokens)] = [self.word2id.get(t.lower(), 1) for t in tokens]
        return ids, lengths

    def tag(self, sentences):
        ids, lengths = self.encode(sentences)
        with tf.Session(graph=self.graph) as sess:  # finding: session-per-step
            self.saver.restore(sess, tf.train.latest_checkpoint(self.model_dir))
            best = sess.run(self.best, {self.words: ids, self.lengths: lengths})
        return [[self.id2tag[t] for t in row[:n]] for row, n in zip(best, lengths)]
