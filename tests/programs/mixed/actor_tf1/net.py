import tensorflow as tf


class Tagger(object):
    """A BiLSTM tagger that owns its session."""

    def __init__(self, words, tags, width=128, layers=2):
        self.tags = tags
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.ids = tf.placeholder(tf.int32, [None, None])
            self.lengths = tf.placeholder(tf.int32, [None])
            self.labels = tf.placeholder(tf.float32, [None, None, tags])
            net = tf.nn.embedding_lookup(tf.get_variable("words", [words, width]), self.ids)
            for depth in range(layers):
                with tf.variable_scope("layer_%d" % depth):
                    cell = tf.nn.rnn_cell.LSTMCell(width)
                    net, _ = tf.nn.dynamic_rnn(cell, net, self.lengths, dtype=tf.float32)
            self.logits = tf.layers.dense(net, tags)
            cost = tf.nn.softmax_cross_entropy_with_logits_v2(labels=self.labels, logits=self.logits)
            self.loss = tf.reduce_mean(cost)
            self.train_op = tf.train.AdamOptimizer().minimize(self.loss)
            self.saver = tf.train.Saver()
            init = tf.global_variables_initializer()
        self.session = tf.Session(graph=self.graph)
        self.session.run(init)

    def train(self, ids, lengths, tags):
        with self.graph.as_default():
            labels = self.session.run(tf.one_hot(tags, self.tags))  # finding: graph-growth
        feed = {self.ids: ids, self.lengths: lengths, self.labels: labels}
        loss, _ = self.session.run([self.loss, self.train_op], feed)
        return loss

    def probabilities(self, ids, lengths):
        softmax = tf.nn.softmax(self.logits)  # finding: graph-growth
        return self.session.run(softmax, {self.ids: ids, self.lengths: lengths})

    def scores(self, ids, lengths):
        return self.session.run(self.logits, {self.ids: ids, self.lengths: lengths})

    def save(self, path):
        self.saver.save(self.session, path)
