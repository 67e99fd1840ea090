"""JAX waits for each result and checks it, or compiles nothing, while a program trains."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "jax-debugging"
RULES = ("debug-left-on",)
SWITCHES: Mapping[str, str] = {
    "jax_debug_nans": "each result is waited for, and searched for NaNs",
    "jax_debug_infs": "each result is waited for, and searched for infinite numbers",
    "jax_disable_jit": "nothing is compiled, and operations are sent off one by one",
}
FEWEST_STEPS = 8
"""Steps of the program: a shorter run may be there to find something."""


def watch(tape: Tape) -> None:
    """Learn which lines turn such a switch on, and whether it stays on."""
    tape.imports.after("jax._src.config", functools.partial(_watch, tape))


def _watch(tape: Tape, module: Any) -> None:
    cls = module.Config
    update = cls.update

    # Programs name the parameters as well: the name is a text, and no switch's value is.
    @standing_for(update)
    def updated(*arguments: Any, **named: Any) -> Any:
        result = update(*arguments, **named)
        given = *arguments[1:], *named.values()
        name = next((one for one in given if isinstance(one, str)), "")
        if tape.active and name in SWITCHES:
            frame, value = sys._getframe(1), next((one for one in given if one is not name), None)
            tape.guarded(NAME, lambda: _note(tape, name, value, frame))
        return result

    cls.update = updated


def _note(tape: Tape, name: str, value: Any, frame: FrameType) -> None:
    place = tape.code.place(frame)
    if place is not None:
        tape.note(f"{NAME} {name}", place)
        tape.detail(f"{NAME} {name}", place).update(on=bool(value), ticks=tape.ticks)


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that turned a switch on that nobody turned off again."""
    for name, what in SWITCHES.items():
        found = [seen for seen in trace.observations if seen.kind == f"{NAME} {name}"]
        last = max(found, key=lambda seen: seen.detail["ticks"], default=None)
        steps = max(trace.steps.values(), default=0)
        if last is None or not last.detail["on"] or steps - last.detail["ticks"] < FEWEST_STEPS:
            continue
        if all(seen.detail["on"] for seen in found):
            yield told_at(
                last,
                signal=NAME,
                cause="improper-configuration",
                message=f"`{name}` is on during training: {what}",
                evidence=f"for {steps - last.detail['ticks']:,} steps",
                remedy="turn it on only while you look for an error",
                weight=Weight.HINT,
                rule=RULES[0],
            )
