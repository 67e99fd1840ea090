"""Runs one training in this process, and switches recording on and off while it goes on.

`python -m benchmarks.switched NAME SECONDS SIZE...` prints, as JSON, for each size what segments
of the training cost in each state of recording.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.training import STEPS, TRAININGS
from deepperf.dynamic.child import record
from deepperf.dynamic.recording.tape import Tape

WARM_UP = 25
"""Steps before anything is measured: tracing, compiling, the first of everything."""
SEGMENT = 0.08
"""Seconds of processor time of one segment: the sampler looks several times in it, and what else
the machine does falls alike on neighbours."""
SETTLING = 0.015
"""Seconds after a switch that do not count, in which windows that are open are closed."""
STATES = ("off", "off again", "always on", "with looks")
"""Two that are alike tell the noise; the third leaves out the heavier looks that have a budget."""


class Meter:
    """Called at the end of each step; measures segments, in blocks of one of each state."""

    def __init__(self, tape: Tape, seconds: float, seed: int) -> None:
        self.blocks: list[dict[str, float]] = []
        self.stated: list[float] = []
        self.steps = 0
        self.step_seconds = 0.0
        self._tape = tape
        self._ends = seconds
        self._random = random.Random(seed)
        self._left = WARM_UP
        self._next: Callable[[float], bool] = self._warmed_up
        self._order: list[str] = []
        self._block: dict[str, float] = {}
        self._begin = self._spent = self._began = 0.0

    def turn(self) -> bool:
        """Whether the training is to go on."""
        self._left -= 1
        return self._left > 0 or self._next(time.process_time())

    def _warmed_up(self, now: float) -> bool:
        # What a run may spend at its beginning is no part of what goes on.
        if self._tape.budget.is_early:
            self._left = WARM_UP
            return True
        self._begin = now
        self._left = WARM_UP
        self._next = self._calibrated
        return True

    def _calibrated(self, now: float) -> bool:
        self.step_seconds = (now - self._begin) / WARM_UP
        self.steps = max(2, round(SEGMENT / self.step_seconds))
        self._began = time.perf_counter()
        while self._tape.budget.is_left():
            self._tape.budget.charge(self.step_seconds)
        return self._switch()

    def _switch(self) -> bool:
        if not self._order:
            if self._block:
                self.blocks.append(self._block)
            self._block = {}
            if time.perf_counter() - self._began >= self._ends:
                self._tape.resume()
                return False
            self._order = self._random.sample(STATES, len(STATES))
        turn_to(self._tape, self._order[-1])
        self._left = max(1, round(SETTLING / self.step_seconds))
        self._next = self._settled
        return True

    def _settled(self, _now: float) -> bool:
        self._left = self.steps
        self._next = self._measured
        self._spent = self._tape.seconds_spent
        self._begin = time.process_time()
        return True

    def _measured(self, now: float) -> bool:
        state = self._order.pop()
        self._block[state] = (now - self._begin) / self.steps
        if state == "with looks":
            spent = self._tape.seconds_spent - self._spent
            self.stated.append(spent / (now - self._begin))
        return self._switch()


def turn_to(tape: Tape, state: str) -> None:
    """Switch recording to one of `STATES`."""
    if state.startswith("off"):
        tape.pause()
        return
    tape.resume()
    if state == "always on":
        tape.budget.close()


def main(words: Sequence[str]) -> None:
    name, seconds, *sizes = words
    training = next(one for one in TRAININGS if one.name == name)
    with tempfile.TemporaryDirectory(prefix="deepperf-overhead-") as scratch:
        tape = Tape(Path(scratch) / "run.dperf", ["overhead"])
        record(tape)
        rows = {**training.rows, **STEPS.get(name, {})}
        results = [measured(tape, training.loop, rows[size], float(seconds)) for size in sizes]
        tape.finish()
        problems = tape.trace("exit").problems
    if problems:
        raise SystemExit("\n".join(problems))
    print(json.dumps(results))


def measured(tape: Tape, loop: Callable[..., None], rows: int, seconds: float) -> Mapping[str, Any]:
    """The costs per step in each state, block by block, and what deepperf says of itself."""
    meter = Meter(tape, seconds, seed=rows)
    loop(rows, meter.turn)
    return {
        "rows": rows,
        "steps": meter.steps,
        "seconds": {state: [block[state] for block in meter.blocks] for state in STATES},
        "stated": meter.stated,
    }


if __name__ == "__main__":
    main(sys.argv[1:])
