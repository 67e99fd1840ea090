import tensorflow as tf


class Seq2Seq(object):
    def __init__(self, vocab, units):
        self.vocab = vocab
        self.units = units
        self.source = tf.placeholder(tf.int32, [None, None], "source")
        self.lengths = tf.placeholder(tf.int32, [None], "lengths")
        with tf.variable_scope("seq2seq", reuse=tf.AUTO_REUSE):
            self.embedding = tf.get_variable("embedding", [vocab, units])
            cell = tf.nn.rnn_cell.GRUCell(units)
            _, state = tf.nn.dynamic_rnn(
                cell, tf.nn.embedding_lookup(self.embedding, self.source), self.lengths, dtype=tf.float32
            )
            self.output = self._decode(state)

    def _decode(self, state, steps=40):
        cell = tf.nn.rnn_cell.GRUCell(self.units, name="decoder")
        token = tf.ones([tf.shape(self.source)[0]], tf.int32)
        tokens = []
        for _ in range(steps):
            _, state = cell(tf.nn.embedding_lookup(self.embedding, token), state)
            logits = tf.layers.dense(state, self.vocab, name="logits", reuse=tf.AUTO_REUSE)
            token = tf.argmax(logits, axis=1, output_type=tf.int32)
            tokens.append(token)
        return tf.stack(tokens, axis=1)
