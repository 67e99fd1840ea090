import tensorflow as tf


class Tagger(object):
    cell = staticmethod(tf.nn.rnn_cell.LSTMCell)

    def __init__(self, n_words, n_tags, hp):
        self.n_words, self.n_tags, self.hp = n_words, n_tags, hp

    def __call__(self, x, n):
        hp = self.hp
        with tf.variable_scope("tagger", reuse=tf.AUTO_REUSE):
            e = tf.nn.embedding_lookup(tf.get_variable("emb", [self.n_words, hp["dim"]]), x)
            for i in range(hp["layers"]):
                out, _ = tf.nn.bidirectional_dynamic_rnn(self.cell(hp["units"]), self.cell(hp["units"]), e,
                                                         n, dtype=tf.float32, scope="l%d" % i)
                e = tf.concat(out, -1)
            return tf.layers.dense(e, self.n_tags, name="proj")

    def crf(self, z, y, n):
        with tf.variable_scope("crf", reuse=tf.AUTO_REUSE):
            tr = tf.get_variable("t", [self.n_tags, self.n_tags])
            ll, _ = tf.contrib.crf.crf_log_likelihood(z, y, n, tr)
            best, _ = tf.contrib.crf.crf_decode(z, tr, n)
        return -tf.reduce_mean(ll), best
