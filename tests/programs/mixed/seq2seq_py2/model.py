import tensorflow as tf


class Seq2Seq(object):
    def __init__(self, vocab, size, batch):
        self.vocab, self.size, self.batch = vocab, size, batch
        self.lr = tf.Variable(0.5, trainable=False, name="lr")
        self.decay_op = self.lr.assign(self.lr * 0.99)
        self.step = tf.Variable(0, trainable=False, name="step")
        self.enc = [tf.placeholder(tf.int32, [None], name="enc%d" % i) for i in xrange(20)]
        self.dec = [tf.placeholder(tf.int32, [None], name="dec%d" % i) for i in xrange(22)]
        cells = []
        for _ in xrange(3):
            cells.append(tf.contrib.rnn.GRUCell(size))
        cell = tf.contrib.rnn.MultiRNNCell(cells)
        outputs, _ = tf.contrib.legacy_seq2seq.embedding_rnn_seq2seq(
            self.enc, self.dec[:-1], cell, vocab, vocab, size)
        self.logits = outputs
        weights = [tf.ones_like(d, dtype=tf.float32) for d in self.dec[1:]]
        self.loss = tf.contrib.legacy_seq2seq.sequence_loss(outputs, self.dec[1:], weights)
        params = tf.trainable_variables()
        grads = tf.gradients(self.loss, params)
        clipped, self.norm = tf.clip_by_global_norm(grads, 5.0)
        self.train_op = tf.train.GradientDescentOptimizer(self.lr).apply_gradients(
            zip(clipped, params), global_step=self.step)
        self.saver = tf.train.Saver(max_to_keep=3)

    def feed(self, enc, dec):
        feed = dict(zip(self.enc, enc))
        feed.update(zip(self.dec, dec))
        return feed

    def answer(self, sess, enc):
        logits = sess.run(self.logits, self.feed(enc, [[1]] * 22))
        words = []
        for step in logits:
            words.append(int(sess.run(tf.argmax(step, 1))[0]))  # finding: graph-growth
        return words

    def answer_fast(self, sess, enc):
        logits = sess.run(self.logits, self.feed(enc, [[1]] * 22))
        return [int(step.argmax(1)[0]) for step in logits]
