# requires: tensorflow==1.8.*
"""LSTM language model on PTB, simplified from the tutorial."""
import time

import numpy as np
import tensorflow as tf

import reader

flags = tf.flags
flags.DEFINE_string("data_path", "simple-examples/data", "")
flags.DEFINE_integer("epochs", 40, "")
FLAGS = flags.FLAGS

HIDDEN, STEPS, BATCH, LAYERS = 650, 35, 20, 2


class PTB(object):
    def __init__(self, vocab):
        self.x = tf.placeholder(tf.int32, [BATCH, STEPS])
        self.y = tf.placeholder(tf.int32, [BATCH, STEPS])
        self.keep = tf.placeholder_with_default(1.0, [])
        emb = tf.get_variable("emb", [vocab, HIDDEN])
        inputs = tf.nn.dropout(tf.nn.embedding_lookup(emb, self.x), self.keep)
        cells = [tf.nn.rnn_cell.BasicLSTMCell(HIDDEN) for _ in range(LAYERS)]
        cell = tf.nn.rnn_cell.MultiRNNCell(cells)
        self.initial = cell.zero_state(BATCH, tf.float32)
        out, self.final = tf.nn.dynamic_rnn(cell, inputs, initial_state=self.initial)
        logits = tf.layers.dense(tf.reshape(out, [-1, HIDDEN]), vocab)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(self.y, [-1]), logits=logits)
        self.cost = tf.reduce_sum(loss) / BATCH
        self.lr = tf.Variable(1.0, trainable=False)
        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), 5)
        self.train_op = tf.train.GradientDescentOptimizer(self.lr).apply_gradients(zip(grads, tvars))


def run_epoch(sess, model, data, train, lr):
    if train:
        sess.run(tf.assign(model.lr, lr))  # finding: graph-growth
    state = sess.run(model.initial)
    costs, iters = 0.0, 0
    fetches = [model.cost, model.final] + ([model.train_op] if train else [])
    for x, y in reader.ptb_iterator(data, BATCH, STEPS):
        feed = {model.x: x, model.y: y, model.keep: 0.5 if train else 1.0}
        for i, (c, h) in enumerate(model.initial):
            feed[c], feed[h] = state[i].c, state[i].h
        cost, state = sess.run(fetches, feed)[:2]
        costs += cost
        iters += STEPS
        if train and iters % (STEPS * 100) == 0:
            value = sess.run(tf.exp(costs / iters))  # finding: graph-growth
            print("perplexity %.3f" % value)
    return np.exp(costs / iters)


def main(_):
    train, valid, test, vocab = reader.ptb_raw_data(FLAGS.data_path)
    model = PTB(vocab)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(FLAGS.epochs):
            started = time.time()
            lr = 0.8 ** max(epoch - 6, 0)
            a = run_epoch(sess, model, train, True, lr)
            b = run_epoch(sess, model, valid, False, lr)
            print("epoch %d train %.2f valid %.2f (%.0fs)" % (epoch, a, b, time.time() - started))
        print("test", run_epoch(sess, model, test, False, 0))


if __name__ == "__main__":
    tf.app.run()
