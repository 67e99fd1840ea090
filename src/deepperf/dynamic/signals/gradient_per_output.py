"""One tape is asked for gradients again and again, output by output."""

from __future__ import annotations

import sys
import time
import weakref
from collections import Counter
from collections.abc import Iterable
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "gradient-per-output"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST_OF_TAPE = 8
"""Gradients of one tape from one line, on average: a few losses, each with weights of its own, are
what persistent tapes are for."""
FEWEST = 32
"""Gradients from one line: fewer are over in a moment."""


def watch(tape: Tape) -> None:
    """Count the gradients that each line asks of each tape."""
    tape.imports.after(
        "tensorflow.python.eager.backprop", lambda module: _Gradients(tape).watch(module)
    )


class _Gradients:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._asked: weakref.WeakKeyDictionary[Any, Counter[Place]] = weakref.WeakKeyDictionary()

    def watch(self, module: ModuleType) -> None:
        cls: Any = getattr(module, "GradientTape", None)
        gradient = cls.gradient

        @standing_for(gradient)
        def watched(tape: Any, *arguments: Any, **named: Any) -> Any:
            # Only a persistent tape can be asked twice.
            if not self._tape.active or not getattr(tape, "_persistent", False):
                return gradient(tape, *arguments, **named)
            begin = time.perf_counter()
            result = gradient(tape, *arguments, **named)
            seconds = time.perf_counter() - begin
            frame = sys._getframe(1)
            self._tape.guarded(NAME, lambda: self._note(tape, seconds, frame))
            return result

        cls.gradient = watched

    def _note(self, asked: Any, seconds: float, frame: FrameType) -> None:
        path = self._tape.code.path_of(frame.f_code.co_filename)
        place = self._tape.code.place(frame)
        if place is None or not path:
            return
        counts = self._asked.setdefault(asked, Counter())
        counts[place] += 1
        self._tape.note(NAME, place, seconds=seconds)
        detail = self._tape.detail(NAME, place)
        detail["tapes"] = detail.get("tapes", 0) + (counts[place] == 1)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that go back through one tape many times."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.count < max(FEWEST, FEWEST_OF_TAPE * seen.detail["tapes"]):
            continue
        tapes = seen.detail["tapes"]
        yield told_at(
            seen,
            signal=NAME,
            cause="missed-efficient-api",
            message="each output has its own backward pass through a tape",
            evidence=(
                f"{seen.count:,} gradients of {tapes:,} tapes took {seen.seconds:.2f} s, "
                f"{1000 * seen.seconds / seen.count:.1f} ms each"
            ),
            remedy=(
                "stack the outputs, and call `tape.jacobian` once, or `tape.batch_jacobian` where "
                "each row depends only on its own row"
            ),
            share=share_of_seconds(trace, seen.seconds * (1 - tapes / seen.count)),
        )
