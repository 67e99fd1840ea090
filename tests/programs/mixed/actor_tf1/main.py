from __future__ import print_function

import argparse
import pickle

import numpy as np

from net import Tagger


def batches(sentences, size):
    order = np.random.permutation(len(sentences))
    for start in range(0, len(order), size):
        rows = [sentences[i] for i in order[start : start + size]]
        lengths = [len(words) for words, _ in rows]
        ids = np.zeros((len(rows), max(lengths)), np.int32)
        tags = np.zeros_like(ids)
        for row, (words, labels) in enumerate(rows):
            ids[row, : len(words)] = words
            tags[row, : len(labels)] = labels
        yield ids, lengths, tags


def evaluate(tagger, sentences):
    right = total = 0
    for ids, lengths, tags in batches(sentences, 32):
        guess = tagger.probabilities(ids, lengths).argmax(-1)
        same = guess == tags
        right += sum(row[:length].sum() for row, length in zip(same, lengths))
        total += sum(lengths)
    return right / float(total)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    train, held, words, tags = pickle.load(open(args.data, "rb"))
    tagger = Tagger(words, tags)
    best = 0
    for epoch in range(args.epochs):
        losses = [tagger.train(*batch) for batch in batches(train, 32)]
        accuracy = evaluate(tagger, held)
        print(epoch, np.mean(losses), accuracy)
        if accuracy > best:
            best = accuracy
            tagger.save("best.ckpt")
    print(tagger.scores(*next(batches(held, 8))[:2]).shape)


if __name__ == "__main__":
    main()
