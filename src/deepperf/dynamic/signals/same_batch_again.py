"""Within a step, a PyTorch model that trains on a batch is asked about the same batch once more."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, FORWARD, Diagnosis, Weight, share_of_call, told_at
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, listen
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "same-batch-again"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST = 4
"""Batches that were asked about twice, among those heard."""
MOSTLY = 0.5
"""Part of a line's calls: a program may compare two states of a model now and then."""


def watch(tape: Tape) -> None:
    """Hear of calls of models once PyTorch is there, as long as the budget lasts."""
    watched = _Watch(tape)
    listen(tape, NAME, watched.look, watched.note)


class _Line:
    __slots__ = ("again", "calls", "model", "other")

    def __init__(self, model: str) -> None:
        self.calls = self.again = self.other = 0
        self.model = model


class _Watch:
    """Remembers of each model what it was asked in the step that is under way, and by which line:
    in training, or else."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._last: weakref.WeakKeyDictionary[Any, tuple[int, int | None, bool, int]]
        self._last = weakref.WeakKeyDictionary()
        self._lines: dict[Place, _Line] = {}

    def look(self, call: ModuleCall) -> None:
        """Compare a call with the one before of the same model."""
        given = call.given
        if given is None or not call.module.training:
            return
        ticks, trains = self._tape.ticks, call.trains
        # With labels or without them, it is the same batch.
        asked = call.digest(given)
        last = self._last.get(call.module)
        self._last[call.module] = ticks, asked, trains, call.place.line
        if trains and last is None:
            return
        # Two passes that both train may differ on purpose, by what dropout leaves out.
        place = call.place
        if not trains:
            line = self._lines.setdefault(place, _Line(type(call.module).__name__))
            line.calls += 1
            # Before the first step that is heard of, weights may be changed by hand.
            is_known = ticks > 0 and asked is not None
            if is_known and last is not None and last[:3] == (ticks, asked, True):
                line.again += 1
                line.other = last[3]

    def note(self) -> None:
        """Put on the tape what is known so far."""
        for place, line in list(self._lines.items()):
            if line.again >= FEWEST:
                told = {name: getattr(line, name) for name in line.__slots__}
                self._tape.note(NAME, place, count=0, detail=told)


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that ask again."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.detail["again"] < MOSTLY * seen.detail["calls"]:
            continue
        detail = seen.detail
        share = detail["again"] / detail["calls"]
        share *= share_of_call(trace, seen.file, seen.line, FORWARD)
        yield told_at(
            seen,
            signal=NAME,
            cause="inefficient-api-usage",
            message=f"`{detail['model']}` is called with the batch that it was just trained on",
            evidence=f"{detail['again']:,} of {detail['calls']:,} sampled calls, after the same at "
            f"line {detail['other']}",
            remedy="keep the output of the first call, `.detach()`ed, and compute from that",
            weight=Weight.TIME if share >= FLOOR else Weight.HINT,
            share=share,
        )
