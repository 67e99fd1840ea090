# requires: tensorflow==1.8.*
"""Word-level language model after Zaremba et al."""
import argparse
import time

import numpy as np
import tensorflow as tf

from tensorflow.contrib import rnn


class Config(object):
    init_scale = 0.05
    learning_rate = 1.0
    max_grad_norm = 5
    num_layers = 2
    num_steps = 35
    hidden = 650
    max_epoch = 6
    max_max_epoch = 39
    keep_prob = 0.5
    lr_decay = 0.8
    batch_size = 20
    vocab = 10000


class Model(object):
    def __init__(self, config, training):
        self.config = config
        self.x = tf.placeholder(tf.int32, [config.batch_size, config.num_steps])
        self.y = tf.placeholder(tf.int32, [config.batch_size, config.num_steps])
        embedding = tf.get_variable("embedding", [config.vocab, config.hidden])
        inputs = tf.nn.embedding_lookup(embedding, self.x)
        if training:
            inputs = tf.nn.dropout(inputs, config.keep_prob)
        cells = [rnn.DropoutWrapper(rnn.BasicLSTMCell(config.hidden),
                                    output_keep_prob=config.keep_prob if training else 1.0)
                 for _ in range(config.num_layers)]
        cell = rnn.MultiRNNCell(cells)
        self.initial_state = cell.zero_state(config.batch_size, tf.float32)
        outputs, self.final_state = tf.nn.dynamic_rnn(cell, inputs, initial_state=self.initial_state)
        logits = tf.layers.dense(outputs, config.vocab)
        self.cost = tf.reduce_sum(tf.contrib.seq2seq.sequence_loss(
            logits, self.y, tf.ones_like(self.y, tf.float32), average_across_batch=True))
        self.lr = tf.Variable(0.0, trainable=False)
        if training:
            tvars = tf.trainable_variables()
            grads, _ = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), config.max_grad_norm)
            self.train_op = tf.train.GradientDescentOptimizer(self.lr).apply_gradients(zip(grads, tvars))
        else:
            self.train_op = tf.no_op()

    def assign_lr(self, session, value):
        session.run(tf.assign(self.lr, value))  # finding: graph-growth


def batches(ids, batch_size, num_steps):
    rows = len(ids) // batch_size
    data = np.reshape(ids[: rows * batch_size], [batch_size, rows])
    for i in range((rows - 1) // num_steps):
        yield (data[:, i * num_steps:(i + 1) * num_steps],
               data[:, i * num_steps + 1:(i + 1) * num_steps + 1])


def run_epoch(session, model, ids):
    costs, iters = 0.0, 0
    start = time.time()
    state = session.run(model.initial_state)
    for x, y in batches(ids, model.config.batch_size, model.config.num_steps):
        feed = {model.x: x, model.y: y, model.initial_state: state}
        cost, state, _ = session.run([model.cost, model.final_state, model.train_op], feed)
        costs += cost
        iters += model.config.num_steps
    print("%.0f steps/s" % (iters / (time.time() - start)))
    return np.exp(costs / iters)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", default="ptb.train.npy")
    parser.add_argument("--valid", default="ptb.valid.npy")
    args = parser.parse_args()
    train, valid = np.load(args.train), np.load(args.valid)
    config = Config()
    init = tf.random_uniform_initializer(-config.init_scale, config.init_scale)
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("model", reuse=None, initializer=init):
            m = Model(config, True)
        with tf.variable_scope("model", reuse=True, initializer=init):
            mv = Model(config, False)
        session.run(tf.global_variables_initializer())
        for i in range(config.max_max_epoch):
            decay = config.lr_decay ** max(i - config.max_epoch, 0.0)
            m.assign_lr(session, config.learning_rate * decay)
            print("Epoch %d train %.3f" % (i + 1, run_epoch(session, m, train)))
            print("Epoch %d valid %.3f" % (i + 1, run_epoch(session, mv, valid)))


if __name__ == "__main__":
    main()
