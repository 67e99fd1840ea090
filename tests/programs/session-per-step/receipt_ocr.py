# requires: tensorflow==1.13.*
"""Reads receipts from a folder: detect lines with EAST, then print their boxes."""
import argparse
import os
import time

import cv2
import numpy as np
import tensorflow as tf


class Detector(object):
    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.GraphDef()
            with tf.gfile.GFile(path, "rb") as handle:
                definition.ParseFromString(handle.read())
            tf.import_graph_def(definition, name="")

    def __call__(self, image):
        session = tf.Session(graph=self.graph)  # finding: session-per-step
        score, geometry = session.run(
            ["feature_fusion/Conv_7/Sigmoid:0", "feature_fusion/concat_3:0"],
            feed_dict={"input_images:0": image[None]},
        )
        session.close()
        return score[0, :, :, 0], geometry[0]


def resize(image, longest=1280):
    height, width = image.shape[:2]
    ratio = min(1.0, longest / float(max(height, width)))
    height, width = int(height * ratio) // 32 * 32, int(width * ratio) // 32 * 32
    return cv2.resize(image, (max(32, width), max(32, height)))


def boxes(score, geometry, threshold=0.8):
    found = []
    for y, x in np.argwhere(score > threshold):
        top, right, bottom, left = geometry[y, x, :4]
        found.append([4 * x - left, 4 * y - top, 4 * x + right, 4 * y + bottom])
    return np.array(found).reshape(-1, 4)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--inbox", default="inbox")
    parser.add_argument("--model", default="east.pb")
    args = parser.parse_args()
    detect = Detector(args.model)
    while True:
        for name in sorted(os.listdir(args.inbox)):
            if not name.endswith(".jpg"):
                continue
            path = os.path.join(args.inbox, name)
            image = cv2.imread(path)
            if image is not None:
                score, geometry = detect(resize(image)[:, :, ::-1])
                np.save(path[:-4] + ".npy", boxes(score, geometry))
            os.remove(path)
        time.sleep(1.0)


if __name__ == "__main__":
    main()
