"""NER on OntoNotes-style data, ids padded to 96 tokens."""
import random
import sys

import numpy as np
import tensorflow.compat.v1 as tf

from .blocks import Tagger
from .scoring import Evaluator, f1, tag_batch_fed

tf.disable_v2_behavior()


def main(path, epochs=25, size=64):
    z = np.load(path)
    data = list(zip(z["ids"], z["tags"]))
    test = list(zip(z["test_ids"], z["test_tags"]))
    cut = int(0.9 * len(data))
    train, dev = data[:cut], data[cut:]

    ids = tf.placeholder(tf.int32, [None, 96])
    tags = tf.placeholder(tf.int32, [None, 96])
    tagger = Tagger(int(z["ids"].max()) + 1, int(z["tags"].max()) + 1)
    logits = tagger(ids)
    best = tf.argmax(logits, -1)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tags, logits=logits))
    grads = tf.train.AdamOptimizer(1e-3)
    pairs = [(tf.clip_by_norm(g, 1.0), v) for g, v in grads.compute_gradients(loss)]
    step = grads.apply_gradients(pairs)
    summary = tf.summary.scalar("loss", loss)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter("logs", sess.graph)
        evaluate = Evaluator(sess, tagger, dev)
        n = 0
        for epoch in range(epochs):
            random.shuffle(train)
            for lo in range(0, cut, size):
                x, y = map(np.stack, zip(*train[lo : lo + size]))
                _, s = sess.run([step, summary], {ids: x, tags: y})
                writer.add_summary(s, n)
                n += 1
            print(epoch, evaluate())
        guess = [tag_batch_fed(sess, best, ids, np.stack([i for i, _ in test[lo : lo + size]])) for lo in range(0, len(test), size)]
        gold = np.stack([t for _, t in test])
        print("test", f1(gold.ravel(), np.concatenate(guess).ravel()))


if __name__ == "__main__":
    main(sys.argv[1])
