"""Observations that a replay memory holds twice are told from those that it shares."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

PROGRAM = """\
import time
from collections import deque

import numpy as np


class Replay:
    def __init__(self):
        self.steps = deque(maxlen=4000)
        self.shared = deque(maxlen=4000)

    def add(self, state, following):
        self.steps.append((state.copy(), 1, following.copy()))  # twice
        self.shared.append((state, 1, following))


class Arrays:
    def __init__(self, size):
        self.states = np.zeros((size, 24, 24), np.float32)
        self.following = np.zeros((size, 24, 24), np.float32)
        self.noise = np.zeros((size, 24, 24), np.float32)

    def add(self, at, state, following):
        self.states[at] = state
        self.following[at] = following  # twice
        self.noise[at] = state * 0.5


def main():
    replay, arrays = Replay(), Arrays(4000)
    states = [np.random.rand(24, 24).astype(np.float32) for _ in range(4)]
    for number in range(4000):
        state = states[number % 4]
        following = np.roll(state, 1) * 0.999
        replay.add(state, following)
        arrays.add(number, state, following)
        states[number % 4] = following
        if number % 20 == 0:
            time.sleep(0.02)


main()
"""


def test_observations_that_are_held_twice_are_told_where_they_are_added(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "stored-twice")
    assert sorted(item["line"] for item in found) == marked(PROGRAM, "twice")
    assert all("without a copy" in item["remedy"] for item in found)
