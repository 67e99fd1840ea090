import random
import sys

import tensorflow as tf

from corpus import Corpus
from tagger import Tagger

GRID = {"dim": [64, 128, 300], "units": [128, 256], "layers": [1, 2], "lr": [3e-4, 1e-3, 3e-3], "batch": [32, 64]}


def draw(rng):
    return {k: rng.choice(v) for k, v in GRID.items()}


def build(corpus, hp, cut):
    net = Tagger(len(corpus.words) + 1, len(corpus.tags), hp)
    phases = {}
    for name, lo, hi in (("fit", 0, cut), ("dev", cut, None)):
        it = corpus.dataset(lo, hi, hp["batch"], name == "fit").make_initializable_iterator()
        x, y, n = it.get_next()
        loss, best = net.crf(net(x, n), y, n)
        live = tf.sequence_mask(n)
        right = tf.reduce_sum(tf.cast(tf.equal(tf.cast(best, tf.int64), y) & live, tf.int32))
        phases[name] = (it.initializer, loss, right, tf.reduce_sum(n))
    grads, tv = zip(*tf.train.AdamOptimizer(hp["lr"]).compute_gradients(phases["fit"][1]))
    grads, _ = tf.clip_by_global_norm(grads, 5.0)
    op = tf.train.AdamOptimizer(hp["lr"]).apply_gradients(zip(grads, tv))
    return phases, op


def accuracy(sess, phase):
    init, _, right, total = phase
    sess.run(init)
    good = seen = 0
    while True:
        try:
            a, b = sess.run([right, total])
        except tf.errors.OutOfRangeError:
            return good / float(max(seen, 1))
        good, seen = good + a, seen + b


def trial(corpus, hp, steps=6000, every=1000):
    cut = int(0.9 * len(corpus.x))
    best = 0.0
    with tf.Graph().as_default():
        phases, op = build(corpus, hp, cut)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.tables_initializer(), phases["fit"][0]])
            for k in range(1, steps + 1):
                sess.run(op)
                if k % every == 0:
                    best = max(best, accuracy(sess, phases["dev"]))
    return best


def main(path, n):
    rng, corpus = random.Random(7), Corpus(path)
    board = []
    while len(board) < n:
        hp = draw(rng)
        board.append((trial(corpus, hp), sorted(hp.items())))
        print(max(board))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
