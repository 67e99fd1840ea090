"""Smooths the positions of a fleet with Kalman filters, one for each vehicle."""

import logging
import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd

log = logging.getLogger("fleet")


@dataclass
class Model:
    transition: np.ndarray
    noise: np.ndarray
    observation: np.ndarray
    error: np.ndarray

    @classmethod
    def constant_velocity(cls, dt, acceleration, gps):
        f = np.eye(4)
        f[0, 2] = f[1, 3] = dt
        g = np.array([[dt**2 / 2, 0], [0, dt**2 / 2], [dt, 0], [0, dt]])
        return cls(f, g @ g.T * acceleration**2, np.eye(2, 4), np.eye(2) * gps**2)


class Filter:
    def __init__(self, model, start):
        self.model = model
        self.mean = np.concatenate([start, np.zeros(2)])
        self.cov = np.diag([25.0, 25.0, 100.0, 100.0])

    def predict(self):
        f = self.model.transition
        self.mean = f @ self.mean
        self.cov = f @ self.cov @ f.T + self.model.noise

    def update(self, seen):
        h = self.model.observation
        innovation = seen - h @ self.mean
        spread = h @ self.cov @ h.T + self.model.error
        gain = self.cov @ h.T @ np.linalg.inv(spread)
        self.mean = self.mean + gain @ innovation
        self.cov = (np.eye(4) - gain @ h) @ self.cov
        return float(innovation @ np.linalg.solve(spread, innovation))

    def step(self, seen):
        self.predict()
        if np.isnan(seen).any():
            return np.nan
        return self.update(seen)


def smooth(track, model, gate=20.0):
    filter_ = Filter(model, track[0])
    means, odd = [], 0
    for seen in track:
        distance = filter_.step(seen)
        odd += distance > gate
        means.append(filter_.mean[:2].copy())
    return np.array(means), odd


def refine(track, model, rounds=5):
    """Learns the error of the receiver from what is left over, a few times."""
    for _ in range(rounds):
        means, _ = smooth(track, model)
        left = track - means
        left = left[~np.isnan(left).any(axis=1)]
        model.error = 0.5 * model.error + 0.5 * left.T @ left / len(left)
    return model


def main():
    fixes = pd.read_parquet(sys.argv[1])
    for vehicle, rows in fixes.groupby("vehicle"):
        track = rows.sort_values("time")[["x", "y"]].to_numpy()
        model = refine(track, Model.constant_velocity(1.0, 2.0, 5.0))
        means, odd = smooth(track, model)
        log.info("%s: %d odd fixes of %d", vehicle, odd, len(track))
        np.save(f"{vehicle}.npy", means)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main()
