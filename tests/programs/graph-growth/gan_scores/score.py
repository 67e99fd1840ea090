"""Scores the pictures that a generator drew in each of its checkpoints."""

import argparse
import glob
import json

import numpy as np
import tensorflow as tf

from scores.inception import Inception, all_logits
from scores.measures import frechet, inception_score


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("real")
    parser.add_argument("drawn", help="pattern of .npy files")
    parser.add_argument("--out", default="scores.json")
    args = parser.parse_args()
    with tf.Session() as sess:
        inception = Inception(sess)
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        real = all_logits(inception, np.load(args.real))
        found = {}
        for path in sorted(glob.glob(args.drawn)):
            logits = all_logits(inception, np.load(path))
            found[path] = {"is": inception_score(logits), "fid": frechet(real, logits)}
            print(path, found[path])
    with open(args.out, "w") as file:
        json.dump(found, file, indent=2)


if __name__ == "__main__":
    main()
