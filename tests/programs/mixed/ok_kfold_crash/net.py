import tensorflow as tf


class Tabular(object):
    """Logit model with per-group towers; lives in the default graph."""

    def __init__(self, groups, hidden=64):
        self.inputs = [tf.placeholder(tf.float32, [None, g]) for g in groups]
        self.y = tf.placeholder(tf.float32, [None])
        parts = []
        for i, x in enumerate(self.inputs):
            with tf.variable_scope("tower%d" % i):
                parts.append(tf.layers.dense(tf.layers.dense(x, hidden, tf.nn.relu), 16, tf.nn.relu))
        self.logit = tf.squeeze(tf.layers.dense(tf.concat(parts, 1), 1), 1)
        self.prob = tf.sigmoid(self.logit)
        self.loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=self.y, logits=self.logit))
        self.lr = tf.get_variable("lr", [], initializer=tf.constant_initializer(1e-3), trainable=False)
        self.train = tf.train.AdamOptimizer(self.lr).minimize(self.loss)
        self._halve = None

    @property
    def halve(self):
        if self._halve is None:
            self._halve = tf.assign(self.lr, self.lr * 0.5)
        return self._halve

    def feed(self, xs, y=None):
        d = dict(zip(self.inputs, xs))
        if y is not None:
            d[self.y] = y
        return d
