"""Tracks of drones from radar plots, with one Kalman filter for each."""
import dataclasses
import sys

import numpy as np
import pandas as pd
from scipy.linalg import expm
from scipy.optimize import linear_sum_assignment


@dataclasses.dataclass
class Motion:
    """A damped, turning motion in three dimensions, in continuous time."""

    damping: float = 0.05
    turn: float = 0.02
    noise: float = 4.0
    period: float = 0.1

    def drift(self):
        a = np.zeros((9, 9))
        a[0:3, 3:6] = np.eye(3)
        a[3:6, 6:9] = np.eye(3)
        a[6:9, 6:9] = -self.damping * np.eye(3)
        a[6, 7], a[7, 6] = -self.turn, self.turn
        return a

    def discrete(self):
        """Transition and noise for one period, by Van Loan's method."""
        a = self.drift()
        q = np.zeros((9, 9))
        q[6:9, 6:9] = self.noise * np.eye(3)
        block = np.block([[-a, q], [np.zeros((9, 9)), a.T]]) * self.period
        e = expm(block)  # note: loop-invariant-op
        f = e[9:, 9:].T
        return f, f @ e[:9, 9:]


class Track:
    count = 0

    def __init__(self, plot, motion, spread=25.0):
        Track.count += 1
        self.name = Track.count
        self.motion = motion
        self.x = np.zeros(9)
        self.x[:3] = plot
        self.p = np.diag([spread] * 3 + [100.0] * 3 + [25.0] * 3)
        self.missed = 0

    def predict(self):
        f, q = self.motion.discrete()
        self.x = f @ self.x
        self.p = f @ self.p @ f.T + q

    def update(self, plot, spread=25.0):
        h = np.eye(3, 9)
        s = h @ self.p @ h.T + spread * np.eye(3)
        gain = np.linalg.solve(s, h @ self.p).T
        self.x = self.x + gain @ (plot - h @ self.x)
        self.p = (np.eye(9) - gain @ h) @ self.p
        self.missed = 0


def associate(tracks, plots, gate=120.0):
    if not tracks or not len(plots):
        return [], range(len(plots))
    cost = np.linalg.norm(np.array([t.x[:3] for t in tracks])[:, None] - plots[None], axis=-1)
    pairs = [(r, c) for r, c in zip(*linear_sum_assignment(cost)) if cost[r, c] < gate]
    return pairs, sorted(set(range(len(plots))) - {c for _, c in pairs})


def main(path):
    table = pd.read_csv(path)
    motion = Motion()
    tracks, rows = [], []
    for when, group in table.groupby("scan"):
        plots = group[["x", "y", "z"]].to_numpy()
        for track in tracks:
            track.predict()
            track.missed += 1
        pairs, free = associate(tracks, plots)
        for r, c in pairs:
            tracks[r].update(plots[c])
        tracks += [Track(plots[c], motion) for c in free]
        tracks = [t for t in tracks if t.missed < 8]
        rows += [(when, t.name, *t.x[:3]) for t in tracks]
    pd.DataFrame(rows, columns=["scan", "track", "x", "y", "z"]).to_csv("tracks.csv", index=False)


if __name__ == "__main__":
    main(sys.argv[1])
