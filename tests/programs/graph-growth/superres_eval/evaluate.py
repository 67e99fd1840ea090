"""Scores a checkpoint on Set14 and DIV2K, and keeps the pictures."""

from __future__ import print_function

import argparse
import csv
import os

import numpy as np
import tensorflow as tf

from superres import images
from superres.metrics import METRICS
from superres.network import edsr


class Evaluator(object):
    def __init__(self, checkpoint):
        self.low = tf.placeholder(tf.float32, [None, None, None, 3], "low")
        self.high = tf.clip_by_value(edsr(self.low), 0.0, 1.0)
        self.sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
        tf.train.Saver().restore(self.sess, checkpoint)

    def enlarge(self, image):
        return self.sess.run(self.high, {self.low: image[None]})[0]

    def scores(self, truth, guess):
        return {name: metric(self.sess, truth, guess) for name, metric in METRICS.items()}

    def evaluate(self, folder, out):
        for path in images.list_images(os.path.join(folder, "HR")):
            name = os.path.basename(path)
            truth = images.load(path, self.sess)
            low = images.load(os.path.join(folder, "LR", name), self.sess)
            guess = self.enlarge(low)
            images.save(os.path.join(out, name), guess, self.sess)
            height, width = guess.shape[:2]
            row = self.scores(truth[:height, :width], guess)
            row["name"] = name
            yield row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--out", default="results")
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    evaluator = Evaluator(args.checkpoint)
    for folder in args.folders:
        rows = list(evaluator.evaluate(folder, args.out))
        print(folder, {name: np.mean([row[name] for row in rows]) for name in METRICS})
        with open(os.path.join(args.out, "scores.csv"), "a") as file:
            csv.DictWriter(file, ["name"] + sorted(METRICS)).writerows(rows)


if __name__ == "__main__":
    main()
