"""Run a frozen TF1 detector over inspection videos."""
import argparse
import csv
from pathlib import Path

import cv2
import numpy as np
import tensorflow.compat.v1 as tf1

tf1.disable_eager_execution()
OUTPUTS = ("detection_boxes:0", "detection_scores:0", "detection_classes:0",
           "num_detections:0")


def load_graph(path):
    graph_def = tf1.GraphDef()
    with tf1.io.gfile.GFile(str(path), "rb") as fh:
        graph_def.ParseFromString(fh.read())
    graph = tf1.Graph()
    with graph.as_default():
        tf1.import_graph_def(graph_def, name="")
    return graph


class Detector:
    def __init__(self, path, threshold=0.4):
        self.graph = load_graph(path)
        self.threshold = threshold
        self.image = self.graph.get_tensor_by_name("image_tensor:0")
        self.outputs = [self.graph.get_tensor_by_name(n) for n in OUTPUTS]
        self.config = tf1.ConfigProto()
        self.config.gpu_options.allow_growth = True
        self.session = tf1.Session(graph=self.graph, config=self.config)

    def detect(self, frames):
        boxes, scores, classes, counts = self.session.run(
            self.outputs, feed_dict={self.image: frames})
        found = []
        for b, s, c, n in zip(boxes, scores, classes, counts.astype(int)):
            keep = s[:n] >= self.threshold
            found.append((b[:n][keep], s[:n][keep], c[:n][keep].astype(int)))
        return found


def frames_of(path, every, size, batch):
    video = cv2.VideoCapture(str(path))
    index, block, numbers = 0, [], []
    while video.grab():
        if index % every == 0:
            ok, frame = video.retrieve()
            if ok:
                frame = cv2.resize(frame, (size, size))
                block.append(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB))
                numbers.append(index)
        index += 1
        if len(block) == batch:
            yield numbers, np.stack(block)
            block, numbers = [], []
    if block:
        yield numbers, np.stack(block)
    video.release()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("videos", type=Path)
    p.add_argument("--graph", default="frozen_inference_graph.pb")
    p.add_argument("--every", type=int, default=5)
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--out", default="detections.csv")
    args = p.parse_args()

    detector = Detector(args.graph)
    with open(args.out, "w", newline="") as fh:
        out = csv.writer(fh)
        out.writerow(["video", "frame", "class", "score", "y0", "x0", "y1", "x1"])
        for path in sorted(args.videos.glob("*.mp4")):
            for numbers, frames in frames_of(path, args.every, 640, args.batch):
                for n, (boxes, scores, classes) in zip(numbers, detector.detect(frames)):
                    for b, s, c in zip(boxes, scores, classes):
                        out.writerow([path.stem, n, c, f"{s:.3f}", *np.round(b, 4)])


if __name__ == "__main__":
    main()
