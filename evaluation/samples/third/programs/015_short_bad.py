"""Pedestrian tracker for the station cameras: boxes of a detector in, tracks out.

The detector's output is a file written with torch.save: a list with one float tensor of
shape (n, 5) per frame, x1 y1 x2 y2 score. Crowded frames have some 300 boxes.
"""
import argparse
import itertools
from dataclasses import dataclass, field

import torch
from scipy.optimize import linear_sum_assignment


@dataclass
class Track:
    ident: int
    box: torch.Tensor
    velocity: torch.Tensor = field(default_factory=lambda: torch.zeros(4))
    hits: int = 1
    missed: int = 0

    def predicted(self):
        return self.box + self.velocity

    def correct(self, box, momentum=0.7):
        self.velocity = momentum * self.velocity + (1 - momentum) * (box - self.box)
        self.box = box
        self.hits += 1
        self.missed = 0


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def overlap(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    common = width * height
    return common / (area(a) + area(b) - common)


class StationTracker:
    def __init__(self, min_iou=0.3, min_score=0.4, patience=15):
        self.min_iou = min_iou
        self.min_score = min_score
        self.patience = patience
        self.tracks = []
        self._next_ident = itertools.count(1)

    def _costs(self, expected, boxes):
        costs = torch.ones(len(expected), len(boxes))
        for i, j in itertools.product(range(len(expected)), range(len(boxes))):
            costs[i, j] -= overlap(expected[i], boxes[j])
        return costs

    def _start(self, boxes):
        self.tracks.extend(Track(next(self._next_ident), box) for box in boxes)

    def update(self, detections):
        boxes = detections[detections[:, 4] >= self.min_score, :4]
        if not self.tracks:
            self._start(boxes)
            return self.tracks
        if len(boxes) == 0:
            pairs = []
        else:
            expected = torch.stack([track.predicted() for track in self.tracks])
            costs = self._costs(expected, boxes).numpy()
            rows, columns = linear_sum_assignment(costs)
            good = costs[rows, columns] <= 1 - self.min_iou
            pairs = list(zip(rows[good].tolist(), columns[good].tolist()))

        taken = {column for _, column in pairs}
        seen = {row for row, _ in pairs}
        for row, column in pairs:
            self.tracks[row].correct(boxes[column])
        for row, track in enumerate(self.tracks):
            if row not in seen:
                track.missed += 1
        self.tracks = [track for track in self.tracks if track.missed <= self.patience]
        self._start([box for column, box in enumerate(boxes) if column not in taken])
        return self.tracks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("detections", help="list of (n, 5) tensors, one a frame")
    parser.add_argument("tracks", help="where to write rows of frame, ident, x1, y1, x2, y2")
    parser.add_argument("--min-iou", type=float, default=0.3)
    args = parser.parse_args()

    tracker = StationTracker(min_iou=args.min_iou)
    rows = []
    for number, detections in enumerate(torch.load(args.detections)):
        confirmed = [t for t in tracker.update(detections) if t.hits >= 3 and t.missed == 0]
        if confirmed:
            idents = torch.tensor([[number, t.ident] for t in confirmed], dtype=torch.float32)
            rows.append(torch.cat([idents, torch.stack([t.box for t in confirmed])], dim=1))
    torch.save(torch.cat(rows) if rows else torch.empty(0, 6), args.tracks)


if __name__ == "__main__":
    main()
