"""A model computes in float64 where float32 would do."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import FORWARD, Diagnosis, Weight, share_of_call, told_at
from deepperf.dynamic.frameworks import torch_calls
from deepperf.dynamic.frameworks.torch_calls import ModuleCall
from deepperf.dynamic.frameworks.torch_compiling import replace_until_compiling
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "double-precision"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
CHOSEN = f"{NAME} chosen"
"""What is noted of the line that asks for such numbers."""
FEWEST_CALLS = 8
JAX = "jax_enable_x64"
FEWEST_COMPILED = 8
"""Arrays of such numbers that JAX was seen to compile for."""
DOUBLE = "float64["
REMEDY = "float32 takes half the memory"
OF_TORCH = "leave out `.double()`, and give it `.float()` tensors"
OF_OTHERS = "make it of float32, and give it such tensors"


def watch(tape: Tape) -> None:
    """Learn which lines ask for it, and which models are called so."""
    watched = _Watch(tape)
    tape.imports.after("torch", functools.partial(_watch_torch, tape))
    tape.imports.after("jax._src.config", functools.partial(_watch_jax, tape))
    torch_calls.listen(tape, NAME, watched.look, watched.note)


def _watch_torch(tape: Tape, torch: Any) -> None:
    cls = torch.nn.Module
    double = cls.double

    @standing_for(double)
    def doubled(*arguments: Any, **named: Any) -> Any:
        if tape.active:
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: _chosen(tape, frame))
        return double(*arguments, **named)

    replace_until_compiling(tape, cls, "double", doubled)


def _watch_jax(tape: Tape, module: Any) -> None:
    cls = module.Config
    update = cls.update

    # Programs name the value as well, and JAX may call it otherwise one day.
    @standing_for(update)
    def updated(*arguments: Any, **named: Any) -> Any:
        result = update(*arguments, **named)
        if tape.active:
            frame, given = sys._getframe(1), (*arguments[1:], *named.values())
            tape.guarded(NAME, lambda: _updated(tape, frame, given))
        return result

    cls.update = updated


def _updated(tape: Tape, frame: FrameType, given: tuple[Any, ...]) -> None:
    if JAX in given and all(given):
        _chosen(tape, frame, JAX)


def _chosen(tape: Tape, frame: FrameType, by: str = "") -> None:
    place = tape.code.place(frame)
    if place is not None:
        tape.note(CHOSEN, place, detail={"by": by})


class _Watch:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._models: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()
        self._lines: dict[Place, tuple[str, int]] = {}

    def look(self, call: ModuleCall) -> None:
        """Take note of a call in training of a model whose weights have 64 bits."""
        if not call.trains:
            return
        is_double = self._models.get(call.module)
        if is_double is None:
            weight = next(iter(call.module.parameters()), None)
            is_double = weight is not None and weight.dtype is call.torch.float64
            self._models[call.module] = is_double
        if is_double:
            _, calls = self._lines.get(call.place, ("", 0))
            self._lines[call.place] = type(call.module).__name__, calls + 1

    def note(self) -> None:
        """Put on the tape what is known so far."""
        for place, (model, calls) in list(self._lines.items()):
            if calls >= FEWEST_CALLS:
                self._tape.note(NAME, place, count=0, detail={"model": model, "calls": calls})


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that ask for such numbers, or else call such a model."""
    chosen = [seen for seen in trace.observations if seen.kind == CHOSEN]
    of_torch = next((seen for seen in chosen if not seen.detail["by"]), None)
    for seen in trace.observations:
        if seen.kind == NAME:
            share = share_of_call(trace, seen.file, seen.line, FORWARD)
            yield told_at(
                of_torch or seen,
                signal=NAME,
                cause="improper-model-parameter",
                message=f"`{seen.detail['model']}` computes in float64",
                evidence=f"{seen.detail['calls']:,} sampled calls at line {seen.line}, which takes "
                f"{share:.0%} of the time",
                remedy=f"{REMEDY}: {OF_TORCH if of_torch else OF_OTHERS}",
                weight=Weight.HINT,
            )
            return
    for seen in chosen:
        arrays = _compiled_for(trace) if seen.detail["by"] == JAX else 0
        if arrays >= FEWEST_COMPILED:
            yield told_at(
                seen,
                signal=NAME,
                cause="improper-configuration",
                message=f"`{JAX}` makes arrays float64",
                evidence=f"functions were compiled for {arrays:,} kinds of such arrays",
                remedy=f"{REMEDY}: leave it off, and convert only what needs it",
                weight=Weight.HINT,
            )


def _compiled_for(trace: Trace) -> int:
    """How many kinds of arrays with such numbers functions were compiled for."""
    return sum(
        shapes.count(DOUBLE)
        for seen in trace.observations
        if seen.kind == "recompilation jax"
        for function in seen.detail.get("functions", {}).values()
        for shapes in function.get("shapes", ())
    )
