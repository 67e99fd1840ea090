"""A large array became a constant of what JAX compiles, instead of one of its inputs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import LARGE, Diagnosis, Weight, share_of_memory, told_at
from deepperf.dynamic.frameworks.jax_work import traced_in
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.signals.unrolled_jax import COMPILED

NAME = "captured-constants"
RULES = ("captured-constant",)
MOST_CONSTANTS = 1000


def watch(tape: Tape) -> None:
    """Look at the constants of each function that JAX compiles."""
    tape.imports.after("jax", lambda _module: _listen(tape))


def _listen(tape: Tape) -> None:
    monitoring = sys.modules.get("jax.monitoring") or sys.modules.get("jax._src.monitoring")

    def hear(event: str, _seconds: float, **_named: Any) -> None:
        if tape.active and event == COMPILED:
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: _note(tape, frame))

    if monitoring is not None:
        monitoring.register_event_duration_secs_listener(hear)


def _note(tape: Tape, frame: FrameType) -> None:
    constants = getattr(traced_in(frame), "consts", ())[:MOST_CONSTANTS]
    largest = max(constants, key=lambda one: getattr(one, "nbytes", 0), default=None)
    size = sum(getattr(one, "nbytes", 0) for one in constants)
    place = tape.code.place(frame) if size >= LARGE else None
    if place is not None:
        tape.note(NAME, place, size=size)
        shape = [int(side) for side in getattr(largest, "shape", ())]
        tape.detail(NAME, place).update(shape=shape, dtype=str(getattr(largest, "dtype", "")))


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that had such a function compiled."""
    for seen in trace.observations:
        if seen.kind == NAME:
            shape = " x ".join(map(str, seen.detail["shape"]))
            each = seen.bytes / seen.count
            yield told_at(
                seen,
                signal=NAME,
                cause="graph-confusion",
                message="a large array is a constant of what JAX compiles",
                evidence=(
                    f"{seen.count:,} compilations took in {each / 1e6:,.0f} MB each, such as "
                    f"{shape} of {seen.detail['dtype']}"
                ),
                remedy="give it to the function as an argument, so that it is held once and is no "
                "part of what is compiled",
                weight=Weight.MEMORY,
                share=share_of_memory(each, trace.peak),
                rule=RULES[0],
            )
