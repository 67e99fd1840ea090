"""PyTorch keeps a stack of each operation, and checks each gradient, to find the source of NaNs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, told_at
from deepperf.dynamic.frameworks.torch_compiling import replace_until_compiling
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "anomaly-mode"
BY_LOOKS = True
RULES = ("debug-left-on",)
STACKS = "torch/fx/traceback.py"
"""What PyTorch asks for the stack of each operation in this mode."""
FEWEST_LOOKS = 8
"""Looks that met it below which it was on for a moment."""


def watch(tape: Tape) -> None:
    """Learn which line turns the mode on, and look now and then whether a stack is being taken."""
    tape.imports.after("torch", lambda torch: _Watch(tape).begin(torch))


class _Watch:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._place: Place | None = None

    def begin(self, torch: Any) -> None:
        # The classes that call it warn of the line that makes them.
        turn = torch.set_anomaly_enabled

        @standing_for(turn)
        def turned(*arguments: Any, **named: Any) -> None:
            turn(*arguments, **named)
            if self._tape.active and torch.is_anomaly_enabled():
                frame = sys._getframe(1)
                self._tape.guarded(NAME, lambda: self._take(frame))

        replace_until_compiling(self._tape, torch, "set_anomaly_enabled", turned)

    def _take(self, frame: FrameType) -> None:
        if self._place is None:
            self._tape.at_samples(NAME, self._look)
        self._place = self._tape.code.place(frame) or self._place

    def _look(self, frame: FrameType | None) -> None:
        for _ in range(DEEPEST):
            if frame is None or self._tape.code.path_of(frame.f_code.co_filename):
                return
            if frame.f_code.co_filename.replace("\\", "/").endswith(STACKS):
                if self._place is not None:
                    self._tape.note(NAME, self._place)
                return
            frame = frame.f_back


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that turned the mode on, and what it costs."""
    for seen in trace.observations:
        if seen.kind == NAME and seen.count >= FEWEST_LOOKS and trace.sampled:
            share = min(1.0, seen.count / trace.sampled)
            yield told_at(
                seen,
                signal=NAME,
                cause="improper-configuration",
                message="anomaly detection is on during training",
                evidence=(
                    f"recording the stack of every operation took "
                    f"{seen.count * trace.interval:.1f} s; checking all gradients comes on top"
                ),
                remedy=(
                    "turn on `detect_anomaly` only while you look for a NaN, or around the few "
                    "steps that produce it"
                ),
                share=share,
                rule=RULES[0],
            )
