"""A character-level language model (TensorFlow 1.4): train, then write like Shakespeare.

    python char_lm_samplers.py train tinyshakespeare.txt
    python char_lm_samplers.py write tinyshakespeare.txt --sampler top_k --start "ROMEO:"
"""

from __future__ import print_function

import argparse
from collections import namedtuple

import numpy as np
import tensorflow as tf

Config = namedtuple("Config", "hidden layers steps batch_size rate decay epochs")
CONFIG = Config(hidden=512, layers=2, steps=100, batch_size=64, rate=2e-3, decay=0.95, epochs=50)


def top_k(logits, k=10):
    values, _ = tf.nn.top_k(logits, k)  # finding: graph-growth
    floor = values[:, -1:]
    kept = tf.where(logits < floor, tf.fill(tf.shape(logits), -1e9), logits)  # finding: graph-growth
    return tf.multinomial(kept, 1)  # finding: graph-growth


SAMPLERS = {
    "greedy": lambda logits: tf.argmax(logits, 1)[:, None],  # finding: graph-growth
    "warm": lambda logits: tf.multinomial(logits / 0.7, 1),  # finding: graph-growth
    "top_k": top_k,
}


class CharModel(object):
    def __init__(self, n_chars, config, batch_size, steps):
        self.inputs = tf.placeholder(tf.int32, [batch_size, steps])
        self.targets = tf.placeholder(tf.int32, [batch_size, steps])
        cells = [tf.contrib.rnn.LSTMCell(config.hidden) for _ in range(config.layers)]
        cell = tf.contrib.rnn.MultiRNNCell(cells)
        self.start = cell.zero_state(batch_size, tf.float32)
        embedding = tf.get_variable("embedding", [n_chars, config.hidden])
        embedded = tf.nn.embedding_lookup(embedding, self.inputs)
        outputs, self.end = tf.nn.dynamic_rnn(cell, embedded, initial_state=self.start)
        self.logits = tf.layers.dense(outputs, n_chars)
        self.loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.targets, logits=self.logits)
        )
        self.rate = tf.Variable(config.rate, trainable=False)
        variables = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self.loss, variables), 5.0)
        self.train = tf.train.AdamOptimizer(self.rate).apply_gradients(zip(grads, variables))

    def slow_down(self, sess, factor):
        sess.run(self.rate.assign(self.rate * factor))  # finding: graph-growth


def chunks(codes, config):
    n = len(codes) // (config.batch_size * config.steps)
    data = codes[: n * config.batch_size * config.steps].reshape(config.batch_size, -1)
    for i in range(0, data.shape[1] - config.steps, config.steps):
        yield data[:, i : i + config.steps], data[:, i + 1 : i + config.steps + 1]


def train(text, codes, vocabulary, config):
    model = CharModel(len(vocabulary), config, config.batch_size, config.steps)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(config.epochs):
            state = sess.run(model.start)
            losses = []
            for x, y in chunks(codes, config):
                feed = {model.inputs: x, model.targets: y, model.start: state}
                loss, state, _ = sess.run([model.loss, model.end, model.train], feed)
                losses.append(loss)
            if epoch >= 10:
                model.slow_down(sess, config.decay)
            print("epoch %d: %.3f" % (epoch, np.mean(losses)))
            saver.save(sess, "char_lm.ckpt")


def write(start, length, sampler, vocabulary, config):
    model = CharModel(len(vocabulary), config, 1, 1)
    with tf.Session() as sess:
        tf.train.Saver().restore(sess, "char_lm.ckpt")
        state = sess.run(model.start)
        text = start
        for char in start[:-1]:
            feed = {model.inputs: [[vocabulary.index(char)]], model.start: state}
            state = sess.run(model.end, feed)
        while len(text) < length:
            feed = {model.inputs: [[vocabulary.index(text[-1])]], model.start: state}
            drawn = SAMPLERS[sampler](model.logits[:, -1, :])
            code, state = sess.run([drawn, model.end], feed)
            text += vocabulary[int(code[0, 0])]
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["train", "write"])
    parser.add_argument("text")
    parser.add_argument("--start", default="ROMEO:")
    parser.add_argument("--length", type=int, default=2000)
    parser.add_argument("--sampler", choices=sorted(SAMPLERS), default="warm")
    args = parser.parse_args()
    with open(args.text) as file:
        text = file.read()
    vocabulary = sorted(set(text))
    if args.command == "train":
        codes = np.array([vocabulary.index(char) for char in text], np.int32)
        train(text, codes, vocabulary, CONFIG)
    else:
        print(write(args.start, args.length, args.sampler, vocabulary, CONFIG))


if __name__ == "__main__":
    main()
