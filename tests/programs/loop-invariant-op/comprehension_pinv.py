"""Least squares of many channels against one design matrix."""
import numpy as np


def design(times, order):
    return np.vander(times, order + 1)


def fit_channels(times, channels, order=3):
    matrix = design(times, order)
    return [np.linalg.pinv(matrix) @ channel for channel in channels]  # note: loop-invariant-op


def residuals(times, channels, coefficients, order=3):
    matrix = design(times, order)
    return [channel - matrix @ c for channel, c in zip(channels, coefficients)]


if __name__ == "__main__":
    data = np.genfromtxt("channels.csv", delimiter=",")
    solved = fit_channels(data[0], data[1:])
    print(np.abs(residuals(data[0], data[1:], solved)).max())
