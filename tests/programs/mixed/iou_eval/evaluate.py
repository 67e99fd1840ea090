from __future__ import division, print_function

import glob
import os
import sys

import numpy as np
import scipy.misc
import tensorflow as tf

from evaluation import metrics
from evaluation.report import Report


def restore(path):
    sess = tf.Session()
    saver = tf.train.import_meta_graph(path + ".meta")
    saver.restore(sess, path)
    return sess


def predictions(sess, folder):
    for path in sorted(glob.glob(os.path.join(folder, "*_image.png"))):
        image = scipy.misc.imread(path)
        truth = scipy.misc.imread(path.replace("_image", "_mask"))
        yield sess.run("mask:0", {"image:0": image[np.newaxis]})[0, ..., 0], truth


def scores_at(folder, checkpoints):
    rows = []
    for checkpoint in checkpoints:
        with tf.Graph().as_default():
            sess = restore(checkpoint)
            report = Report()
            for probability, truth in predictions(sess, folder):
                report.add(probability, truth)
            sess.close()
        rows.append((checkpoint, report.summary()))
    return rows


def main():
    folder, checkpoints = sys.argv[1], sys.argv[2:]
    for checkpoint, summary in scores_at(folder, checkpoints):
        print(checkpoint, summary)
    pictures = [scipy.misc.imread(path) for path in glob.glob(folder + "/*_image.png")]
    print(np.mean(metrics.psnr(pictures, pictures[1:])))


if __name__ == "__main__":
    main()
