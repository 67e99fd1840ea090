import collections
import random

import numpy as np
import tensorflow as tf

Batch = collections.namedtuple("Batch", "words tags lengths")


class Tagger(object):
    def __init__(self, vocab, tags, dim=100):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.words = tf.placeholder(tf.int32, [None, None])
            self.tags = tf.placeholder(tf.int32, [None, None])
            self.lengths = tf.placeholder(tf.int32, [None])
            emb = tf.nn.embedding_lookup(tf.get_variable("emb", [vocab, dim]), self.words)
            cell = tf.nn.rnn_cell.LSTMCell
            (f, b), _ = tf.nn.bidirectional_dynamic_rnn(cell(dim), cell(dim), emb, self.lengths, dtype=tf.float32)
            self.scores = tf.layers.dense(tf.concat([f, b], -1), tags)
            ll, self.trans = tf.contrib.crf.crf_log_likelihood(self.scores, self.tags, self.lengths)
            self.loss = -tf.reduce_mean(ll)
            self.step = tf.train.AdamOptimizer().minimize(self.loss)
            self.init = tf.global_variables_initializer()
            self.saver = tf.train.Saver()

    def feed(self, batch):
        return {self.words: batch.words, self.tags: batch.tags, self.lengths: batch.lengths}

    def decode(self, sess, batch):
        with self.graph.as_default():
            best, _ = tf.contrib.crf.crf_decode(self.scores, self.trans, self.lengths)  # finding: graph-growth
        return sess.run(best, self.feed(batch))

    def predict(self, path, sentence):
        sess = tf.Session(graph=self.graph)  # finding: session-per-step
        self.saver.restore(sess, path)
        batch = Batch([sentence], [[0] * len(sentence)], [len(sentence)])
        scores = sess.run(self.scores, self.feed(batch))
        sess.close()
        return scores[0].argmax(-1)


def batches(data, size):
    random.shuffle(data)
    for i in range(0, len(data), size):
        part = data[i : i + size]
        longest = max(len(w) for w, _ in part)
        pad = lambda xs: np.array([x + [0] * (longest - len(x)) for x in xs])  # noqa: E731
        yield Batch(pad([w for w, _ in part]), pad([t for _, t in part]), [len(w) for w, _ in part])


def accuracy(tagger, sess, data):
    right = total = 0
    for batch in batches(data, 64):
        out = tagger.decode(sess, batch)
        right += (out == batch.tags).sum()
        total += out.size
    return right / total


def train(tagger, data, dev, epochs, path):
    with tf.Session(graph=tagger.graph) as sess:
        sess.run(tagger.init)
        for epoch in range(epochs):
            losses = [sess.run([tagger.loss, tagger.step], tagger.feed(b))[0] for b in batches(data, 32)]
            print(epoch, np.mean(losses), accuracy(tagger, sess, dev))
        tagger.saver.save(sess, path)


def interactive(tagger, path, vocabulary):
    while True:
        text = input("> ")
        if not text:
            break
        print(tagger.predict(path, [vocabulary.get(w, 0) for w in text.split()]))


if __name__ == "__main__":
    data = np.load("ner.npy", allow_pickle=True).tolist()
    tagger = Tagger(20000, 9)
    train(tagger, data[1000:], data[:1000], 20, "out/model")
    interactive(tagger, "out/model", {})
