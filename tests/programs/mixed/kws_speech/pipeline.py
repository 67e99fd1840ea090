import functools
import os

import tensorflow as tf

from frontend import FRONTENDS, WORDS, read_wav, shift


def listing(root, split):
    names, ids = [], []
    with open(os.path.join(root, split + "_list.txt")) as fh:
        for line in fh:
            rel = line.strip()
            word = rel.split("/")[0]
            if word in WORDS:
                names.append(os.path.join(root, rel))
                ids.append(WORDS.index(word))
    return names, ids


def through(ds, stages):
    return functools.reduce(lambda d, fn: d.map(fn), stages, ds)  # finding: serial-map


def make(root, split, kind="mfcc", batch=100):
    stages = [read_wav]
    if split == "training":
        stages.append(shift)
    stages.append(FRONTENDS[kind])
    ds = tf.data.Dataset.from_tensor_slices(listing(root, split))
    if split == "training":
        ds = ds.shuffle(20000).repeat()
    return through(ds, stages).batch(batch).prefetch(1)
