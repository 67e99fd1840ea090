import tensorflow.compat.v1 as tf


def gru_stack(x, units, depth):
    """Builds layers one on the other (called while the graph is made)."""
    for k in range(depth):
        with tf.variable_scope("gru%d" % k, reuse=tf.AUTO_REUSE):
            w = tf.get_variable("w", [x.shape[-1], units])
            u = tf.get_variable("u", [3, units, units])
            b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
            h = tf.einsum("btd,du->btu", x, w)
            x = tf.nn.relu(tf.nn.conv1d(h, u, 1, "SAME") + b)  # finding: graph-growth
    return x


class Tagger:
    def __init__(self, vocab, n_tags, units=128, depth=3):
        self.vocab, self.n_tags, self.units, self.depth = vocab, n_tags, units, depth

    def __call__(self, ids):
        with tf.variable_scope("tagger", reuse=tf.AUTO_REUSE):
            table = tf.get_variable("table", [self.vocab, self.units])
            out = tf.get_variable("out", [self.units, self.n_tags])
        with tf.variable_scope("tagger", reuse=tf.AUTO_REUSE):
            h = gru_stack(tf.nn.embedding_lookup(table, ids), self.units, self.depth)  # finding: graph-growth
        return tf.einsum("btu,un->btn", h, out)  # finding: graph-growth
