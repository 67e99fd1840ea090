"""Evaluates segmentation of stained cells: evaluate.py --model-dir DIR --root DIR"""
import argparse
import collections
import csv

import numpy as np
import tensorflow as tf

from imaging import Decoder, folder_of, read_picture

Result = collections.namedtuple("Result", "name iou dice")


class Model:
    def __init__(self, folder):
        self.graph = tf.Graph()
        self.session = tf.Session(graph=self.graph)
        with self.graph.as_default():
            tf.saved_model.loader.load(self.session, ["serve"], folder)
        self.image = self.graph.get_tensor_by_name("image:0")
        self.mask = self.graph.get_tensor_by_name("mask:0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session.close()

    def __call__(self, picture):
        return self.session.run(self.mask, {self.image: picture[None]})[0]


def scores(predicted, truth):
    with tf.Graph().as_default(), tf.Session() as session:  # finding: session-per-step
        iou, update = tf.metrics.mean_iou(truth, predicted, 2)
        session.run(tf.local_variables_initializer())
        session.run(update)
        overlap = 2.0 * np.sum(predicted * truth) / (np.sum(predicted) + np.sum(truth))
        return session.run(iou), overlap


def smooth(session, masks):
    smoothed = []
    for mask in masks:
        tensor = tf.constant(mask[None, ..., None], tf.float32)  # finding: graph-growth
        pooled = tf.nn.avg_pool(tensor, [1, 5, 5, 1], [1, 1, 1, 1], "SAME")  # finding: graph-growth
        smoothed.append(pooled.eval(session=session)[0, ..., 0] > 0.5)
    return smoothed


def evaluate(model, root, split, size):
    results = []
    with tf.Session() as session:
        decode = Decoder(size)
        masks, truths, names = [], [], []
        for path, name in folder_of(root, split):
            masks.append(model(read_picture(session, path, size)))
            truths.append(decode(session, path.replace("images", "masks"))[..., 0] > 0)
            names.append(name)
        for name, mask, truth in zip(names, smooth(session, masks), truths):
            results.append(Result(name, *scores(mask.astype(int), truth.astype(int))))
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model-dir", required=True)
    parser.add_argument("--root", default="cells")
    parser.add_argument("--splits", nargs="+", default=["test", "other-scanner"])
    args = parser.parse_args()
    with Model(args.model_dir) as model, open("scores.csv", "w") as stream:
        writer = csv.writer(stream)
        for split in args.splits:
            for result in evaluate(model, args.root, split, (512, 512)):
                writer.writerow((split,) + result)


if __name__ == "__main__":
    main()
