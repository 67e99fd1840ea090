"""Finds echoes in recordings: locate.py FOLDER"""
import glob
import os
import sys

import numpy as np

from filters import Array, background, chirp, matched

RATE = 96_000


def blocks(recording, length):
    start = 0
    while start + length <= recording.shape[1]:
        yield recording[:, start : start + length]
        start += length


def sweep(array, recording, frequency):
    rows = []
    for block in blocks(recording, 2048):
        angles = np.deg2rad(np.linspace(-70, 70, 281))
        rows.append(np.abs(array.beams(block, angles, frequency)))  # finding: loop-invariant-op
    return np.array(rows)


def echoes(pings, threshold=6.0):
    """Times of the echoes of each ping, in seconds."""
    times = []
    for ping in pings:
        heard = matched(ping, chirp(20e3, 30e3, 0.02, RATE))  # finding: loop-invariant-op
        noise = background(pings)  # finding: loop-invariant-op
        strong = np.flatnonzero(np.abs(heard) > threshold * noise)
        times.append(strong / RATE)
    return times


def track(times, steps=500):
    """Follows the strongest echo by a filter of constant speed."""
    move = np.array([[1.0, 0.1], [0.0, 1.0]])
    state, spread = np.zeros(2), np.eye(2)
    noise = np.array([[2.5e-5, 5e-4], [5e-4, 1e-2]])
    path = []
    for heard in times[:steps]:
        state = move @ state
        spread = move @ spread @ move.T + noise
        if len(heard):
            gain = spread[:, 0] / (spread[0, 0] + 1e-4)
            state = state + gain * (heard[0] - state[0])
            spread = spread - np.outer(gain, spread[0])
        path.append(state.copy())
    return np.array(path)


def main(folder):
    array = Array(32, 0.03, RATE)
    for path in sorted(glob.glob(os.path.join(folder, "*.npz"))):
        stored = np.load(path)
        bearing = sweep(array, stored["elements"], 25e3)
        times = echoes(stored["pings"])
        np.savez(path.replace(".npz", "-found.npz"), bearing=bearing, track=track(times))


if __name__ == "__main__":
    main(sys.argv[1])
