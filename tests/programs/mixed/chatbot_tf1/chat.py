# coding: utf-8
import sys

import numpy as np
import tensorflow as tf

from vocabulary import ids_of, words_of


class Seq2Seq:
    def __init__(self, size, vocabulary, sess):
        self.sess = sess
        self.source = tf.placeholder(tf.int32, [None, None])
        self.target = tf.placeholder(tf.int32, [None, None])
        cell = tf.nn.rnn_cell.GRUCell(size)
        table = tf.get_variable("table", [vocabulary, size])
        out, state = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(table, self.source), dtype=tf.float32)
        self.logits = tf.layers.dense(out, vocabulary)
        self.loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.target, logits=self.logits)
        )
        self.rate = tf.Variable(0.5, trainable=False)
        self.optimize = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)
        self.decay = self.rate.assign(self.rate * 0.9)

    def train(self, batches, epochs):
        saver = tf.train.Saver()
        self.sess.run(tf.global_variables_initializer())
        for epoch in range(epochs):
            for source, target in batches:
                feed = {self.source: source, self.target: target}
                loss, _ = self.sess.run([self.loss, self.optimize], feed)
            if epoch % 10 == 9:
                self.sess.run(self.decay)
                self.sess.run(tf.assign(self.rate, max(0.01, 0.5 * 0.9**epoch)))  # finding: graph-growth
            perplexity = self.sess.run(tf.exp(loss))  # finding: graph-growth
            print(epoch, perplexity)
            saver.save(self.sess, "chat", global_step=epoch)

    def answer(self, sentence):
        logits = self.sess.run(self.logits, {self.source: [ids_of(sentence)]})
        return words_of(np.argmax(logits[0], -1))

    def sampled(self, sentence):
        logits = self.sess.run(self.logits, {self.source: [ids_of(sentence)]})
        return words_of(self.sess.run(tf.multinomial(logits[0], 1))[:, 0])  # finding: graph-growth


def talk():
    with tf.Session() as sess:
        bot = Seq2Seq(256, 20000, sess)
        tf.train.Saver().restore(sess, tf.train.latest_checkpoint("."))
        for line in sys.stdin:
            print(bot.answer(line))
            print(bot.sampled(line))


if __name__ == "__main__":
    talk()
