import numpy as np
import tensorflow.compat.v1 as tf


def f1(gold, guess, outside=0):
    tp = np.sum((gold == guess) & (gold != outside))
    p = tp / max(np.sum(guess != outside), 1)
    r = tp / max(np.sum(gold != outside), 1)
    return 2 * p * r / max(p + r, 1e-9)


def tag_batch(sess, tagger, ids):
    logits = tagger(tf.constant(ids))  # finding: graph-growth
    return sess.run(tf.argmax(logits, -1))  # finding: graph-growth


def tag_batch_fed(sess, best, ids_ph, ids):
    return sess.run(best, {ids_ph: ids})


class Evaluator:
    def __init__(self, sess, tagger, sentences, size=64):
        self.sess, self.tagger = sess, tagger
        self.gold = np.stack([t for _, t in sentences]).ravel()
        self.chunks = [np.stack([i for i, _ in sentences[lo : lo + size]]) for lo in range(0, len(sentences), size)]

    def __call__(self):
        guess = []
        for ids in self.chunks:
            guess.append(tag_batch(self.sess, self.tagger, ids))  # finding: graph-growth
        return f1(self.gold, np.concatenate(guess).ravel())
