"""Cars in a parking lot: decoding of boxes, suppression, and matching, on torch and NumPy."""

import sys
import time

import cv2
import numpy as np
import torch
import torchvision

STRIDES = (8, 16, 32)
CLASSES = ("car", "van", "truck", "bus")


def overlap(box, others):
    left = np.maximum(box[0], others[:, 0])
    top = np.maximum(box[1], others[:, 1])
    right = np.minimum(box[2], others[:, 2])
    bottom = np.minimum(box[3], others[:, 3])
    inside = np.clip(right - left, 0, None) * np.clip(bottom - top, 0, None)
    area = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    return inside / ((box[2] - box[0]) * (box[3] - box[1]) + area - inside)


def suppress(boxes, scores, limit=0.5):
    """Greedy: whether a box stays depends on the boxes that stayed before it."""
    order = scores.argsort()[::-1]
    kept = []
    while len(order):
        best = order[0]
        kept.append(best)
        order = order[1:][overlap(boxes[best], boxes[order[1:]]) < limit]
    return kept


def decode(raw, anchors, stride):
    """Boxes of one map, cell by cell. raw: [height, width, anchors, 5 + classes]"""
    height, width, number, _ = raw.shape
    boxes = torch.zeros(height, width, number, 4)
    for i in range(height):
        for j in range(width):
            for k in range(number):
                x = (torch.sigmoid(raw[i, j, k, 0]) + j) * stride  # finding: per-slice-op
                y = (torch.sigmoid(raw[i, j, k, 1]) + i) * stride
                w = torch.exp(raw[i, j, k, 2]) * anchors[k][0]
                h = torch.exp(raw[i, j, k, 3]) * anchors[k][1]
                boxes[i, j, k] = torch.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
    return boxes.reshape(-1, 4)


def confident(scores, limits):
    """Each class has a limit of its own; four classes."""
    return [scores[:, c] > limits[c] for c in range(len(CLASSES))]


def match(predicted, truth):
    """The table of overlaps of all pairs."""
    table = np.zeros((len(predicted), len(truth)))
    for i in range(len(predicted)):
        for j in range(len(truth)):
            table[i, j] = overlap(predicted[i], truth[j : j + 1])[0]  # finding: per-slice-op
    return table


class Detector:
    def __init__(self, weights, anchors):
        self.network = torch.jit.load(weights).eval()
        self.anchors = anchors

    @torch.no_grad()
    def __call__(self, frame):
        x = torch.from_numpy(frame[..., ::-1].copy()).permute(2, 0, 1)[None].float() / 255
        boxes, scores = [], []
        for raw, anchors, stride in zip(self.network(x), self.anchors, STRIDES):
            boxes.append(decode(raw[0], anchors, stride))
            scores.append(raw[0, ..., 4].sigmoid().flatten())
        return torch.cat(boxes).numpy(), torch.cat(scores).numpy()


class ReferenceDetector:
    """With torchvision's own suppression."""

    def __init__(self):
        self.network = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights="DEFAULT").eval()

    @torch.no_grad()
    def __call__(self, frame):
        answer = self.network([torch.from_numpy(frame).permute(2, 0, 1).float() / 255])[0]
        keep = torchvision.ops.nms(answer["boxes"], answer["scores"], 0.5)
        return answer["boxes"][keep].numpy(), answer["scores"][keep].numpy()


def occupancy(boxes, shape):
    """How many boxes cover each place of a coarse grid."""
    grid = np.zeros(shape, int)
    for x1, y1, x2, y2 in boxes.astype(int) // 32:
        grid[y1:y2, x1:x2] += 1
    return grid


def watch(url, detector):
    stream = cv2.VideoCapture(url)
    while True:
        fine, frame = stream.read()
        if not fine:
            break
        began = time.perf_counter()
        boxes, scores = detector(cv2.resize(frame, (640, 640)))
        sure = scores > 0.4
        boxes, scores = boxes[sure], scores[sure]
        kept = suppress(boxes, scores)
        print(len(kept), occupancy(boxes[kept], (20, 20)).max(), time.perf_counter() - began)
        for x1, y1, x2, y2 in boxes[kept].astype(int).tolist():
            cv2.rectangle(frame, (x1, y1), (x2, y2), (0, 255, 0), 2)
        cv2.imshow("lot", frame)
        if cv2.waitKey(1) == 27:
            break


if __name__ == "__main__":
    anchors = np.load("anchors.npy")
    watch(sys.argv[1], Detector("lot.pt", anchors))
