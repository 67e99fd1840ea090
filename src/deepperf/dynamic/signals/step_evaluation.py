"""A Keras model is asked about the same data after each step of its training."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.keras_calls import ModelCall, leading_array, listen
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "step-evaluation"
RULES: tuple[str, ...] = ()
METHODS = ("predict", "predict_on_batch", "evaluate", "test_on_batch")
OFTEN = 2
"""Steps between two calls up to which they belong to the steps."""
FEWEST_CALLS = 10
"""Calls that came so soon: fewer are the epochs of a training on a handful of batches."""
COSTLY = 0.2
"""Share of the run from which on asking less often is worth it: somebody wants to see the curve."""


def watch(tape: Tape) -> None:
    """Compare what each call is given, and after how many steps, with the call before."""
    asked: dict[Place, _Asked] = {}
    listen(tape, NAME, METHODS, lambda call: _note(tape, asked, call))


class _Asked:
    """What was asked last at a line, and after how many steps of the run."""

    __slots__ = ("data", "ticks")

    def __init__(self, data: Any, ticks: int) -> None:
        self.data = weakref.ref(data)
        self.ticks = ticks


def _note(tape: Tape, asked: dict[Place, _Asked], call: ModelCall) -> None:
    data = leading_array(call.argument("x", 0))
    if data is None:
        data = call.argument("x", 0)
    try:
        now = _Asked(data, tape.ticks)
    except TypeError:
        return
    last = asked.get(call.place)
    asked[call.place] = now
    if last is not None and last.data() is data and 0 < now.ticks - last.ticks <= OFTEN:
        tape.note(NAME, call.place, seconds=call.seconds, detail={"method": call.method})


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that ask at each step, and take a good part of the run."""
    for seen in trace.observations:
        if seen.kind == NAME and seen.count >= FEWEST_CALLS:
            share = share_of_seconds(trace, seen.seconds)
            if share >= COSTLY:
                yield _diagnosis(seen, share)


def _diagnosis(seen: Observation, share: float) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{seen.detail['method']}` goes through the same data after each training step",
        evidence=(
            f"{seen.count:,} calls took {seen.seconds:.2f} s, "
            f"{1000 * seen.seconds / seen.count:.1f} ms each"
        ),
        remedy="ask once in an epoch, by `validation_data` or in `on_epoch_end`",
        share=share,
    )
