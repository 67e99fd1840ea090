import argparse
import random
from types import SimpleNamespace

import numpy as np
import tensorflow as tf

import metrics
from model import Seq2Seq

HP = SimpleNamespace(vocab=16000, dim=512, go=1, lr=5e-4)


def read(path):
    pairs = []
    for line in open(path):
        s, t = line.rstrip("\n").split("\t")
        pairs.append(([int(i) for i in s.split()], [int(i) for i in t.split()]))
    return pairs


def pad(rows):
    lengths = np.array([len(r) for r in rows], np.int32)
    out = np.zeros((len(rows), lengths.max()), np.int32)
    for i, r in enumerate(rows):
        out[i, :len(r)] = r
    return out, lengths


def batches(pairs, size):
    random.shuffle(pairs)
    for i in range(0, len(pairs), size):
        src, src_len = pad([s for s, _ in pairs[i:i + size]])
        tgt, tgt_len = pad([t for _, t in pairs[i:i + size]])
        yield SimpleNamespace(src=src, src_len=src_len, tgt=tgt, tgt_len=tgt_len)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    train, valid = read(args.train), read(args.valid)
    model = Seq2Seq(HP)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter("logs", sess.graph)
        for epoch in range(args.epochs):
            for batch in batches(train, 64):
                loss, _, step = sess.run([model.loss, model.train_op, model.step], model.feed(batch))
                if step % 50 == 0:
                    metrics.log_scalar(writer, "loss", loss, step)
            scores = [metrics.token_accuracy(sess, model, b) for b in batches(valid, 128)]
            metrics.log_scalar(writer, "accuracy", float(np.mean(scores)), step)
            print(epoch, np.mean(scores))


if __name__ == "__main__":
    main()
