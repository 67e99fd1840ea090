# requires: tensorflow==1.15.*
"""Streaming detection; tensors are looked up by name, variables are loaded, nothing is added."""
import argparse
import collections
import time

import cv2
import numpy as np
import tensorflow as tf


class Detector:
    OUTPUTS = ("detection_boxes", "detection_scores", "detection_classes")

    def __init__(self, pb):
        self.graph = tf.Graph()
        with self.graph.as_default():
            definition = tf.compat.v1.GraphDef()
            with tf.io.gfile.GFile(pb, "rb") as handle:
                definition.ParseFromString(handle.read())
            tf.import_graph_def(definition, name="")
            self.threshold = tf.Variable(0.5, trainable=False)
            self.scores = self.graph.get_tensor_by_name("detection_scores:0")
            self.keep = tf.greater(self.scores, self.threshold)
            self.init = tf.compat.v1.global_variables_initializer()
        self.sess = tf.compat.v1.Session(graph=self.graph)
        self.sess.run(self.init)

    def __call__(self, frame):
        fetches = {name: self.graph.get_tensor_by_name(name + ":0") for name in self.OUTPUTS}
        fetches["keep"] = self.keep
        feed = {self.graph.get_tensor_by_name("image_tensor:0"): frame[np.newaxis]}
        return self.sess.run(fetches, feed)

    def set_threshold(self, value):
        self.threshold.load(value, self.sess)


class Smoother:
    """Changes the threshold so that about `wanted` boxes are kept."""

    def __init__(self, wanted, length=30):
        self.wanted = wanted
        self.counts = collections.deque(maxlen=length)

    def update(self, detector, result, threshold):
        self.counts.append(int(result["keep"].sum()))
        step = 0.01 * np.sign(np.mean(self.counts) - self.wanted)
        threshold = float(np.clip(threshold + step, 0.05, 0.95))
        detector.set_threshold(threshold)
        return threshold


def scalar(tag, value):
    return tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag=tag, simple_value=value)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("--pb", default="frozen_inference_graph.pb")
    parser.add_argument("--wanted", type=int, default=4)
    args = parser.parse_args()
    detector, smoother, threshold = Detector(args.pb), Smoother(args.wanted), 0.5
    writer = tf.compat.v1.summary.FileWriter("logs")
    camera = cv2.VideoCapture(args.source)
    frames = 0
    while True:
        ok, frame = camera.read()
        if not ok:
            break
        start = time.time()
        result = detector(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB))
        threshold = smoother.update(detector, result, threshold)
        writer.add_summary(scalar("seconds", time.time() - start), frames)
        frames += 1
    writer.close()
    print(frames, threshold)


if __name__ == "__main__":
    main()
