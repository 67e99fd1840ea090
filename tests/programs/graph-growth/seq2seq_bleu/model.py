import tensorflow as tf


class Seq2Seq(object):
    def __init__(self, hp):
        self.hp = hp
        self.src = tf.placeholder(tf.int32, [None, None], name="src")
        self.src_len = tf.placeholder(tf.int32, [None], name="src_len")
        self.tgt = tf.placeholder(tf.int32, [None, None], name="tgt")
        self.tgt_len = tf.placeholder(tf.int32, [None], name="tgt_len")
        with tf.variable_scope("s2s"):
            emb = tf.get_variable("emb", [hp.vocab, hp.dim])
            enc = tf.nn.rnn_cell.GRUCell(hp.dim)
            _, state = tf.nn.dynamic_rnn(enc, tf.nn.embedding_lookup(emb, self.src), self.src_len, dtype=tf.float32)
            dec = tf.nn.rnn_cell.GRUCell(hp.dim)
            shifted = tf.pad(self.tgt[:, :-1], [[0, 0], [1, 0]], constant_values=hp.go)
            out, _ = tf.nn.dynamic_rnn(dec, tf.nn.embedding_lookup(emb, shifted), self.tgt_len, initial_state=state)
            self.logits = tf.layers.dense(out, hp.vocab)
        mask = tf.sequence_mask(self.tgt_len, dtype=tf.float32)
        self.loss = tf.contrib.seq2seq.sequence_loss(self.logits, self.tgt, mask)
        self.step = tf.train.get_or_create_global_step()
        opt = tf.train.AdamOptimizer(hp.lr)
        self.train_op = opt.minimize(self.loss, global_step=self.step)

    def feed(self, batch):
        return {self.src: batch.src, self.src_len: batch.src_len, self.tgt: batch.tgt, self.tgt_len: batch.tgt_len}
