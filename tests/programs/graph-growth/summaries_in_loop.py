# requires: tensorflow==1.3.*
"""Linear-chain tagger trained on one sentence after the other; summaries are written on the way."""
import os
import pickle

import numpy as np
import tensorflow as tf

tf.flags.DEFINE_string("data", "conll.pkl", "")
tf.flags.DEFINE_string("logs", "logs", "")
tf.flags.DEFINE_integer("epochs", 10, "")
FLAGS = tf.flags.FLAGS


class Tagger:
    def __init__(self, words, tags, dim=100):
        self.words = tf.placeholder(tf.int32, [1, None])
        self.tags = tf.placeholder(tf.int32, [1, None])
        table = tf.Variable(tf.random_uniform([words, dim], -0.1, 0.1))
        inputs = tf.nn.embedding_lookup(table, self.words)
        cell_fw, cell_bw = (tf.contrib.rnn.LSTMCell(dim) for _ in range(2))
        outputs, _ = tf.nn.bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, dtype=tf.float32)
        self.scores = tf.layers.dense(tf.concat(outputs, 2), tags)
        lengths = tf.expand_dims(tf.shape(self.words)[1], 0)
        likelihood, self.transitions = tf.contrib.crf.crf_log_likelihood(self.scores, self.tags, lengths)
        self.loss = -tf.reduce_mean(likelihood)
        self.train_op = tf.train.AdamOptimizer().minimize(self.loss)


def evaluate(sess, model, sentences):
    right = total = 0
    transitions = sess.run(model.transitions)
    for words, tags in sentences:
        scores = sess.run(model.scores, {model.words: [words]})[0]
        best, _ = tf.contrib.crf.viterbi_decode(scores, transitions)
        right += np.sum(np.equal(best, tags))
        total += len(tags)
    return right / total


def main(_):
    with open(FLAGS.data, "rb") as handle:
        data = pickle.load(handle)
    model = Tagger(data["words"], data["tags"])
    writer = tf.summary.FileWriter(FLAGS.logs)
    step = 0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(FLAGS.epochs):
            for words, tags in data["train"]:
                feed = {model.words: [words], model.tags: [tags]}
                sess.run(model.train_op, feed)
                if step % 10 == 0:
                    tf.summary.scalar("loss", model.loss)  # finding: graph-growth
                    merged = tf.summary.merge_all()  # finding: graph-growth
                    writer.add_summary(sess.run(merged, feed), step)
                step += 1
            print(epoch, evaluate(sess, model, data["dev"]))
            saver = tf.train.Saver()  # finding: graph-growth
            saver.save(sess, os.path.join(FLAGS.logs, "tagger"), epoch)


if __name__ == "__main__":
    tf.app.run()
