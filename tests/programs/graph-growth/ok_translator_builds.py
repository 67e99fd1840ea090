# requires: tensorflow==1.12.*
"""A translator that is built once (in loops) and then only run."""
import argparse
import time

import numpy as np
import tensorflow as tf


class Translator(object):
    def __init__(self, vocab, width=512, layers=4, beam=1, max_len=60):
        self.source = tf.placeholder(tf.int32, [None, None])
        self.target = tf.placeholder(tf.int32, [None, None])
        self.rate = tf.Variable(1.0, trainable=False)
        self.new_rate = tf.placeholder(tf.float32, [])
        self.set_rate = tf.assign(self.rate, self.new_rate)
        embedding = tf.get_variable("embedding", [vocab, width])
        x = tf.nn.embedding_lookup(embedding, self.source)
        for i in range(layers):
            with tf.variable_scope("encoder%d" % i):
                x = self.block(x, width)
        self.memory = x
        y = tf.nn.embedding_lookup(embedding, self.target[:, :-1])
        for i in range(layers):
            with tf.variable_scope("decoder%d" % i):
                y = self.block(y, width) + self.attend(y, x)
        self.logits = tf.layers.dense(y, vocab)
        self.next = tf.argmax(self.logits[:, -1], -1)
        self.loss = tf.losses.sparse_softmax_cross_entropy(self.target[:, 1:], self.logits)
        self.train_op = tf.train.AdamOptimizer(1e-4 * self.rate).minimize(self.loss)
        self.summary = tf.summary.merge([tf.summary.scalar("loss", self.loss), tf.summary.scalar("rate", self.rate)])

    def block(self, x, width):
        return x + tf.layers.dense(tf.layers.dense(x, 4 * width, tf.nn.relu), width)

    def attend(self, queries, keys):
        scores = tf.matmul(queries, keys, transpose_b=True)
        return tf.matmul(tf.nn.softmax(scores), keys)


def greedy(sess, model, source, steps=60, begin=1, end=2):
    output = np.full((len(source), 1), begin)
    for _ in range(steps):
        padded = np.pad(output, ((0, 0), (0, 1)), "constant")
        chosen = sess.run(model.next, {model.source: source, model.target: padded})
        output = np.concatenate([output, chosen[:, None]], 1)
        if np.all((output == end).any(1)):
            break
    return output


def train(sess, model, reader, writer, epochs):
    best, waited = float("inf"), 0
    step = 0
    for epoch in range(epochs):
        start = time.time()
        for source, target in reader("train"):
            summary, _ = sess.run([model.summary, model.train_op], {model.source: source, model.target: target})
            writer.add_summary(summary, step)
            step += 1
        losses = [sess.run(model.loss, {model.source: s, model.target: t}) for s, t in reader("valid")]
        custom = tf.Summary(value=[tf.Summary.Value(tag="valid", simple_value=float(np.mean(losses)))])
        writer.add_summary(custom, step)
        waited = 0 if np.mean(losses) < best else waited + 1
        best = min(best, np.mean(losses))
        if waited > 2:
            sess.run(model.set_rate, {model.new_rate: sess.run(model.rate) / 2})
        print("%d %.3f %.0fs" % (epoch, np.mean(losses), time.time() - start))


def reader_of(path, size):
    def read(split):
        with np.load("%s/%s.npz" % (path, split)) as data:
            for at in range(0, len(data["source"]), size):
                yield data["source"][at:at + size], data["target"][at:at + size]

    return read


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--vocab", type=int, default=32000)
    args = parser.parse_args()
    model = Translator(args.vocab)
    init = tf.global_variables_initializer()
    tf.get_default_graph().finalize()
    with tf.Session() as sess:
        sess.run(init)
        read = reader_of(args.data, 64)
        train(sess, model, read, tf.summary.FileWriter("logs", sess.graph), 20)
        for source, _ in read("test"):
            print(greedy(sess, model, source))
