"""Harmonic fits of tide gauges (about 900 stations of GESLA), with uncertainties by bootstrap."""
import argparse
import csv
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import least_squares

SPEEDS = np.array([28.9841042, 30.0, 28.4397295, 15.0410686, 13.9430356])  # degrees an hour
NAMES = ["M2", "S2", "N2", "K1", "O1"]


class Station:
    def __init__(self, name, hours, heights):
        self.name = name
        self.hours = jnp.asarray(hours)
        self.heights = jnp.asarray(heights)
        self.scale = float(np.std(heights))

    def predicted(self, theta):
        angles = jnp.deg2rad(SPEEDS[:, None] * self.hours[None, :])
        a, b = theta[1::2], theta[2::2]
        return theta[0] + a @ jnp.cos(angles) + b @ jnp.sin(angles)

    def residuals(self, theta):
        return (self.predicted(theta) - self.heights) / self.scale


class HarmonicFit:
    def __init__(self, station, loss="soft_l1"):
        self.station = station
        self.loss = loss

    def run(self):
        residuals = jax.jit(self.station.residuals)  # finding: compiled-per-call
        jacobian = jax.jit(jax.jacfwd(self.station.residuals))  # finding: compiled-per-call
        start = np.zeros(1 + 2 * len(SPEEDS))
        found = least_squares(
            lambda theta: np.asarray(residuals(theta)),
            start,
            jac=lambda theta: np.asarray(jacobian(theta)),
            loss=self.loss,
        )
        return found.x, found.cost


def amplitudes(theta):
    return np.hypot(theta[1::2], theta[2::2])


@jax.jit
def resample(key, values):
    return jax.random.choice(key, values, values.shape)


def spread(theta, times=200, seed=0):
    keys = jax.random.split(jax.random.PRNGKey(seed), times)
    draws = np.stack([np.asarray(resample(key, amplitudes(theta))) for key in keys])
    return draws.std(axis=0)


def stations(folder, most=24 * 365):
    for file in sorted(pathlib.Path(folder).glob("*.npz")):
        with np.load(file) as data:
            heights = data["heights"][:most]
            if len(heights) == most and not np.isnan(heights).any():
                yield Station(file.stem, np.arange(most, dtype=float), heights)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--out", default="harmonics.csv")
    args = parser.parse_args()
    with open(args.out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["station", "cost", *NAMES])
        for station in stations(args.folder):
            theta, cost = HarmonicFit(station).run()
            writer.writerow([station.name, cost, *amplitudes(theta), *spread(theta)])
            print(station.name, round(cost, 3))


if __name__ == "__main__":
    main()
