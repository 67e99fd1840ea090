# requires: tensorflow==1.15.*
"""Assignment 3: regularisation on notMNIST, with learning rate decay and early stopping."""
import pickle

import numpy as np
import tensorflow as tf

IMAGE, LABELS, BATCH = 28, 10, 128


def load(path="notMNIST.pickle"):
    with open(path, "rb") as f:
        save = pickle.load(f)
    flat = lambda x: x.reshape((-1, IMAGE * IMAGE)).astype(np.float32)
    return {
        part: (flat(save[part + "_dataset"]), save[part + "_labels"])
        for part in ("train", "valid", "test")
    }


class Mlp:
    def __init__(self, hidden=(1024, 256), beta=1e-4, keep=0.5):
        self.x = tf.placeholder(tf.float32, [None, IMAGE * IMAGE], name="x")
        self.y = tf.placeholder(tf.float32, [None, LABELS], name="y")
        self.keep = tf.placeholder_with_default(1.0, [], name="keep")
        self.lr = tf.Variable(0.3, trainable=False, name="lr")
        h = self.x
        for width in hidden:
            h = tf.nn.dropout(tf.layers.dense(h, width, tf.nn.relu), rate=1 - self.keep)
        self.logits = tf.layers.dense(h, LABELS)
        loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=self.y, logits=self.logits)
        l2 = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if "kernel" in v.name])
        self.loss = tf.reduce_mean(loss) + beta * l2
        self.train_op = tf.train.GradientDescentOptimizer(self.lr).minimize(self.loss)
        self.dropout = keep


def shuffled_batches(x, y, rng):
    order = rng.permutation(len(x))
    for start in range(0, len(x) - BATCH + 1, BATCH):
        take = order[start : start + BATCH]
        yield x[take], y[take]


def accuracy(sess, model, x, y):
    logits = sess.run(model.logits, {model.x: x})
    right = tf.equal(tf.argmax(logits, 1), y)  # finding: graph-growth
    return sess.run(tf.reduce_mean(tf.cast(right, tf.float32)))  # finding: graph-growth


def train(data, epochs=100, patience=8):
    model, rng = Mlp(), np.random.RandomState(1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        best, best_epoch = 0.0, 0
        for epoch in range(epochs):
            for x, y in shuffled_batches(*data["train"], rng):
                target = sess.run(tf.one_hot(y, LABELS))  # finding: graph-growth
                feed = {model.x: x, model.y: target, model.keep: model.dropout}
                _, loss = sess.run([model.train_op, model.loss], feed_dict=feed)
            valid = accuracy(sess, model, *data["valid"])
            print("epoch %d: loss %.4f, valid %.4f" % (epoch, loss, valid))
            sess.run(model.lr.assign(0.3 * 0.95 ** epoch))  # finding: graph-growth
            if valid > best:
                best, best_epoch = valid, epoch
                tf.train.Saver().save(sess, "./best/mlp")  # finding: graph-growth
            elif epoch - best_epoch > patience:
                break
        print("test: %.4f" % accuracy(sess, model, *data["test"]))


if __name__ == "__main__":
    train(load())
