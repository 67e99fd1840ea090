"""Offline precision/recall of a detector on exported predictions."""
import argparse
import json
from pathlib import Path

import numpy as np
import tensorflow as tf


def pairwise_iou(a, b):
    a, b = a[:, None, :], b[None, :, :]
    lt = tf.maximum(a[..., :2], b[..., :2])
    rb = tf.minimum(a[..., 2:], b[..., 2:])
    wh = tf.nn.relu(rb - lt)
    inter = wh[..., 0] * wh[..., 1]
    area_a = (a[..., 2] - a[..., 0]) * (a[..., 3] - a[..., 1])
    area_b = (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])
    return inter / (area_a + area_b - inter + 1e-9)


class DetectionReport:
    def __init__(self, iou_threshold=0.5, score_threshold=0.05):
        self.iou_threshold = iou_threshold
        self.score_threshold = score_threshold
        self.hits = 0
        self.kept = 0
        self.targets = 0
        self.score_sum = 0.0

    def add(self, boxes, scores, gt):
        iou = pairwise_iou(boxes, gt)
        for i in range(scores.shape[0]):
            if scores[i] < self.score_threshold:
                continue
            best = tf.reduce_max(iou[i])
            self.kept += 1
            if best >= self.iou_threshold:
                self.hits += 1
                self.score_sum += float(scores[i])
        self.targets += int(gt.shape[0])

    def summary(self):
        return {
            "precision": self.hits / max(self.kept, 1),
            "recall": min(self.hits / max(self.targets, 1), 1.0),
            "mean_score": self.score_sum / max(self.hits, 1),
        }


def load_image(path):
    with np.load(path) as z:
        return (
            tf.constant(z["boxes"], tf.float32),
            tf.constant(z["scores"], tf.float32),
            tf.constant(z["gt_boxes"], tf.float32),
        )


def main():
    p = argparse.ArgumentParser()
    p.add_argument("pred_dir", type=Path)
    p.add_argument("--iou", type=float, default=0.5)
    p.add_argument("--out", type=Path, default=Path("report.json"))
    args = p.parse_args()

    report = DetectionReport(args.iou)
    for path in sorted(args.pred_dir.glob("*.npz")):
        boxes, scores, gt = load_image(path)
        if gt.shape[0] == 0:
            continue
        report.add(boxes, scores, gt)
    args.out.write_text(json.dumps(report.summary(), indent=2))
    print(report.summary())


if __name__ == "__main__":
    main()
