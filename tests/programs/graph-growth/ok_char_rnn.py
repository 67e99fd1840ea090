# requires: tensorflow==1.13.*
"""Char-RNN. All that changes while it trains is fed; the graph is finalised before the loop."""
import argparse
import os
import pickle

import numpy as np
import tensorflow as tf


class CharRnn(object):
    def __init__(self, vocab, batch, length, units=256, depth=2):
        self.x = tf.placeholder(tf.int32, [batch, length])
        self.y = tf.placeholder(tf.int32, [batch, length])
        self.lr = tf.Variable(2e-3, trainable=False)
        self.new_lr = tf.placeholder(tf.float32, [])
        self.set_lr = tf.assign(self.lr, self.new_lr)
        cells = []
        for _ in range(depth):
            cells.append(tf.nn.rnn_cell.LSTMCell(units))
        self.cell = tf.nn.rnn_cell.MultiRNNCell(cells)
        self.start = self.cell.zero_state(batch, tf.float32)
        embedding = tf.get_variable('embedding', [vocab, units])
        inputs = tf.nn.embedding_lookup(embedding, self.x)
        outputs, self.end = tf.nn.dynamic_rnn(self.cell, inputs, initial_state=self.start)
        logits = tf.layers.dense(outputs, vocab)
        self.probs = tf.nn.softmax(logits)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=logits)
        self.loss = tf.reduce_mean(losses)
        variables = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self.loss, variables), 5.0)
        self.train_op = tf.train.AdamOptimizer(self.lr).apply_gradients(zip(grads, variables))


class Text(object):
    def __init__(self, path, batch, length):
        with open(path) as f:
            text = f.read()
        self.chars = sorted(set(text))
        self.index = {c: i for i, c in enumerate(self.chars)}
        data = np.array([self.index[c] for c in text])
        count = (len(data) - 1) // (batch * length)
        cut = count * batch * length
        self.xs = np.split(data[:cut].reshape(batch, -1), count, 1)
        self.ys = np.split(data[1:cut + 1].reshape(batch, -1), count, 1)

    def __iter__(self):
        return iter(zip(self.xs, self.ys))


def scalar(tag, value):
    return tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=float(value))])


def train(args):
    text = Text(args.text, args.batch, args.length)
    model = CharRnn(len(text.chars), args.batch, args.length)
    saver = tf.train.Saver(max_to_keep=3)
    init = tf.global_variables_initializer()
    writer = tf.summary.FileWriter(args.out, tf.get_default_graph())
    tf.get_default_graph().finalize()
    step = 0
    with tf.Session() as sess:
        sess.run(init)
        for epoch in range(args.epochs):
            sess.run(model.set_lr, {model.new_lr: args.lr * 0.97 ** epoch})
            state = sess.run(model.start)
            for x, y in text:
                feed = {model.x: x, model.y: y, model.start: state}
                loss, state, _ = sess.run([model.loss, model.end, model.train_op], feed)
                step += 1
                writer.add_summary(scalar('loss', loss), step)
            saver.save(sess, os.path.join(args.out, 'model'), step)
            print('epoch %d: %.3f' % (epoch, loss))
    with open(os.path.join(args.out, 'chars.pkl'), 'wb') as f:
        pickle.dump(text.chars, f)


def sample(args):
    with open(os.path.join(args.out, 'chars.pkl'), 'rb') as f:
        chars = pickle.load(f)
    model = CharRnn(len(chars), 1, 1)
    with tf.Session() as sess:
        tf.train.Saver().restore(sess, tf.train.latest_checkpoint(args.out))
        state, written = sess.run(model.start), [chars.index(args.prime[-1])]
        for _ in range(args.n):
            feed = {model.x: [[written[-1]]], model.start: state}
            probs, state = sess.run([model.probs, model.end], feed)
            written.append(np.random.choice(len(chars), p=probs[0, 0]))
    print(''.join(chars[i] for i in written))


COMMANDS = {'train': train, 'sample': sample}

if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('command', choices=sorted(COMMANDS))
    parser.add_argument('--text', default='input.txt')
    parser.add_argument('--out', default='save')
    parser.add_argument('--batch', type=int, default=50)
    parser.add_argument('--length', type=int, default=50)
    parser.add_argument('--epochs', type=int, default=50)
    parser.add_argument('--lr', type=float, default=2e-3)
    parser.add_argument('--prime', default='The ')
    parser.add_argument('-n', type=int, default=500)
    args = parser.parse_args()
    COMMANDS[args.command](args)
