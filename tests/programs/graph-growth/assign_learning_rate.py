# requires: tensorflow==1.15.0
"""Language model with a learning rate that decays after each epoch."""
import tensorflow as tf


class Model:
    def __init__(self, vocab, width):
        self.inputs = tf.placeholder(tf.int32, [None, None])
        self.targets = tf.placeholder(tf.int32, [None, None])
        self.lr = tf.Variable(1.0, trainable=False)
        table = tf.get_variable("embedding", [vocab, width])
        hidden = tf.nn.embedding_lookup(table, self.inputs)
        logits = tf.layers.dense(hidden, vocab)
        self.cost = tf.losses.sparse_softmax_cross_entropy(self.targets, logits)
        self.train_op = tf.train.GradientDescentOptimizer(self.lr).minimize(self.cost)


def run(model, data, epochs, decay):
    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        for epoch in range(epochs):
            rate = decay ** max(epoch - 4, 0)
            session.run(tf.assign(model.lr, rate))  # finding: graph-growth
            for inputs, targets in data:
                feed = {model.inputs: inputs, model.targets: targets}
                session.run(model.train_op, feed)
