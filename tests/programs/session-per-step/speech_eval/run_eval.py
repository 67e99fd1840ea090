from __future__ import print_function

import argparse
import csv
import json
from multiprocessing import Pool

import numpy as np

from features import FeatureReader, read_mfcc
from model import LanguageModel
from transcribe import transcribe_frames

_reader = None


def read_manifest(path):
    with open(path) as handle:
        for row in csv.DictReader(handle):
            yield row["wav"], row["text"]


def edit_distance(a, b):
    row = np.arange(len(b) + 1)
    for i, x in enumerate(a):
        last, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            last, row[j + 1] = row[j + 1], min(last + (x != y), row[j] + 1, row[j + 1] + 1)
    return row[-1]


def start_reader():
    global _reader
    _reader = FeatureReader()


def read_in_worker(path):
    return _reader(path)


def statistics(paths):
    with Pool(8, initializer=start_reader) as pool:
        frames = np.concatenate(list(pool.imap(read_in_worker, paths)))
    return frames.mean(axis=0), frames.std(axis=0)


def perplexities(checkpoints, sentences, vocab_size):
    """The whole set is scored with each checkpoint."""
    result = {}
    for checkpoint in checkpoints:
        scorer = LanguageModel(checkpoint, vocab_size)
        total = sum(scorer.score(batch).sum() for batch in np.array_split(sentences, 200))
        result[checkpoint] = float(np.exp(total / sentences.size))
        scorer.sess.close()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--manifest", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--lm", nargs="*", default=[])
    parser.add_argument("--sentences")
    args = parser.parse_args()

    with open("hparams.json") as handle:
        hparams = json.load(handle)
    rows = list(read_manifest(args.manifest))
    stats = statistics([wav for wav, _ in rows])

    errors = words = 0
    features = map(read_mfcc, (wav for wav, _ in rows))
    for frames, (_, text) in zip(features, rows):
        heard = transcribe_frames(frames, stats, hparams, args.model)
        errors += edit_distance(heard.split(), text.split())
        words += len(text.split())
    print("WER %.2f %%" % (100.0 * errors / words))
    if args.lm:
        print(perplexities(args.lm, np.load(args.sentences), 20000))


if __name__ == "__main__":
    main()
