# requires: tensorflow==1.15
"""Groups near-duplicate support tickets:  python dedupe.py tickets.jsonl"""
import json
import sys

import numpy as np
import tensorflow as tf

from encoder import Encoder, FedEncoder
from similarity import BlockScorer, as_pairs, blocks, centre, union


def read(path):
    with open(path) as fh:
        for line in fh:
            yield json.loads(line)["text"][:2000]


def vectors_for(texts, batch=128, fed=False):
    enc = FedEncoder() if fed else Encoder()
    out = []
    for s in blocks(len(texts), batch):
        out.append(enc.encode(texts[s]))
    return np.concatenate(out)


def dedupe(path, threshold=0.92):
    texts = list(read(path))
    vec = vectors_for(texts)
    scorer = BlockScorer(vec.shape[1])
    pairs = []
    with tf.Session() as sess:
        vec = centre(sess, vec)
        for s in blocks(len(texts), 1024):
            values, ids = scorer.score(sess, vec[s], vec)
            pairs.extend(as_pairs(np.arange(len(texts))[s], ids, values, threshold))
    return union(len(texts), pairs)


if __name__ == "__main__":
    groups = dedupe(sys.argv[1])
    json.dump(groups.tolist(), sys.stdout)
