"""A loop trains a small PyTorch model on a few rows at a time: its steps are mostly overhead."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from enum import Enum, auto
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_within
from deepperf.dynamic.frameworks.torch_compiling import after_optimizer_steps, before_compiling
from deepperf.dynamic.program.few_rows import (
    FEW_ROWS,
    FEWEST_STEPS,
    OVERHEAD,
    overhead_of,
    saved_by_more,
    told_of_few_rows,
)
from deepperf.dynamic.program.loops import loop_around
from deepperf.dynamic.program.turns import takes_item
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import OPTIMIZER_STEPS, Observation, Trace
from deepperf.dynamic.signals.tiny_batch import PASSES

NAME = "tiny-steps"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FIRST_LOOK = 16
"""Steps before the first look: the first ones set things up."""
LOOK_EVERY = 23
"""Steps between two looks; no number that a program does something else at is a multiple of it."""
MOST_LOOKS = 24
FEWEST_LOOKS = 5
COUNTED_EVERY = 4
"""Looks of which one counts, and the others time."""
LARGER = 16
"""How many times as many elements a tensor has that the rows were cut from."""
OUTERMOST = 3
"""Lines of the user's from a call outwards of which one may be in the loop over batches."""
UNKNOWN = 1000
"""Rows that stand for any number of them."""


def watch(tape: Tape) -> None:
    """Look at a step now and then: how many rows it trains on, and how long it takes."""
    tape.imports.after("torch", lambda torch: _Watch(tape).begin(torch))


class _Aim(Enum):
    """What a look is for: counting takes time, so that no step is both counted and timed."""

    SECONDS = auto()
    """How long a step takes."""
    PRODUCTS = auto()
    """What each layer computes, and of how many rows."""


class _Look:
    """One step, from the end of the step before."""

    __slots__ = (
        "aim",
        "begin",
        "depth",
        "is_cut",
        "is_flat",
        "lines",
        "places",
        "products",
        "rows",
    )

    def __init__(self, aim: _Aim) -> None:
        self.aim = aim
        self.begin = 0.0
        self.depth = 0
        self.rows = 0
        self.places = 0
        self.products = 0
        self.is_cut = self.is_flat = False
        self.lines: list[Place] = []


class _Watch:
    """Hooks that are there for one step in many."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._torch: Any = None
        self._steps = 0
        self._looks = 0
        self._followed = 0
        self._look: _Look | None = None
        self._handles: list[Any] = []

    def begin(self, torch: Any) -> None:
        self._torch = torch
        after_optimizer_steps(self._tape, self._stepped)
        before_compiling(self._tape, self._stop)

    def _stop(self) -> None:
        self._looks = MOST_LOOKS
        self._close()

    def _close(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._look = None

    def _stepped(self, optimizer: Any) -> None:
        if self._look is not None:
            if id(optimizer) == self._followed:
                self._tape.guarded(NAME, lambda: self._take(optimizer))
            return
        self._steps += 1
        is_due = self._steps >= FIRST_LOOK and self._steps % LOOK_EVERY == 0
        if is_due and self._looks < MOST_LOOKS and self._tape.active:
            self._followed = id(optimizer)
            self._tape.guarded(NAME, self._open)

    def _open(self) -> None:
        modules = self._torch.nn.modules.module
        self._looks += 1
        self._look = _Look(_Aim.SECONDS if self._looks % COUNTED_EVERY else _Aim.PRODUCTS)
        self._handles = [modules.register_module_forward_pre_hook(self._before)]
        if self._look.aim is _Aim.PRODUCTS:
            self._handles.append(modules.register_module_forward_hook(self._after))

    def _take(self, optimizer: Any) -> None:
        now = time.thread_time()
        look = self._look
        self._close()
        device = optimizer.param_groups[0]["params"][0].device.type
        if look is None or not look.lines or not look.begin or device != "cpu":
            return
        place = look.lines[0]
        self._tape.note(NAME, place)
        detail = self._tape.detail(NAME, place)
        detail["lines"] = [[line.file, line.line] for line in look.lines]
        if look.aim is _Aim.PRODUCTS:
            # One number of each row, or all numbers of one, says how often a layer is computed.
            rows = max(look.rows, look.places) if look.is_flat else look.rows
            detail.setdefault("rows", []).append(rows)
            detail.setdefault("products", []).append(look.products)
            detail["cut"] = detail.get("cut", 0) + look.is_cut
        else:
            detail.setdefault("seconds", []).append(now - look.begin)

    def _before(self, module: Any, arguments: Any) -> None:
        look = self._look
        if look is None or not self._torch.is_grad_enabled():
            return
        if not look.begin:
            frame = sys._getframe(1)
            self._tape.guarded(NAME, lambda: self._begin(look, frame))
        if look.aim is _Aim.PRODUCTS:
            look.depth += 1
            if look.depth == 1:
                self._tape.guarded(NAME, lambda: _count(look, module, arguments))

    def _begin(self, look: _Look, frame: FrameType) -> None:
        look.lines = self._tape.code.stack(frame)[:OUTERMOST]
        if look.aim is _Aim.SECONDS:
            # What is timed is the program's own step, without us.
            self._handles.pop().remove()
        look.begin = time.thread_time()

    def _after(self, module: Any, arguments: Any, output: Any) -> None:
        look = self._look
        if look is not None and look.depth:
            look.depth -= 1
            self._tape.guarded(NAME, lambda: _measure(look, module, arguments, output))


def _count(look: _Look, module: Any, arguments: Any) -> None:
    """Add the rows that the program hands to a model."""
    if next(module.parameters(), None) is None:
        # A loss is handed the rows that the model has answered.
        return
    given = next((one for one in arguments if hasattr(one, "numel")), None)
    if given is None:
        # Handed over by names, or in a structure.
        look.rows += UNKNOWN
        return
    look.rows += 1 if given.dim() < 2 else int(given.size(0))
    look.is_flat = look.is_flat or given.dim() < 2
    base = given._base
    if base is not None and base.numel() >= LARGER * max(1, given.numel()):
        look.is_cut = True


def _measure(look: _Look, module: Any, arguments: Any, output: Any) -> None:
    """Add the multiplications of a layer: each weight is used once at each place of the output."""
    weights = [one for one in module._parameters.values() if one is not None and one.dim() > 1]
    made = output[0] if isinstance(output, tuple) else output
    if not weights or not hasattr(made, "numel") or not made.is_floating_point():
        return
    given = next((one for one in arguments if hasattr(one, "numel")), None)
    if given is not None and not given.is_floating_point():
        # An embedding picks rows.
        return
    channels = made.size(1) if weights[0].dim() > 2 and made.dim() > 2 else made.size(-1)
    places = made.numel() // max(1, channels)
    look.places = max(look.places, places)
    look.products += places * sum(one.numel() for one in weights)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines whose steps hardly compute, on rows that others stand beside."""
    clock = trace.clock
    if clock is None or clock.name != OPTIMIZER_STEPS or clock.count < FEWEST_STEPS:
        return
    for seen in trace.observations:
        if seen.kind != NAME or seen.count < FEWEST_LOOKS:
            continue
        detail = seen.detail
        if not detail.get("rows") or not detail.get("seconds"):
            continue
        is_cut = detail["cut"] * 2 >= len(detail["rows"])
        if is_cut or any(takes_item(file, line) for file, line in detail["lines"]):
            yield from _of_steps(trace, seen, clock.count)


def _of_steps(trace: Trace, seen: Observation, steps: int) -> Iterable[Diagnosis]:
    detail = seen.detail
    rows = max(detail["rows"])
    # Where others have the cores, caches and the waiting of threads for each other make a step take
    # longer than it would: the shortest says most of the step itself.
    each = min(detail["seconds"])
    products = PASSES * max(detail["products"])
    overhead = overhead_of(products, each)
    if not 0 < rows <= FEW_ROWS or not products or overhead < OVERHEAD:
        return
    # Of what the processor did, others' waiting for it is no part; but steps that are looked at are
    # slower than others, and all of them together take no more than their loop.
    part = saved_by_more(overhead, rows)
    share = steps * each * part / trace.cpu_seconds if trace.cpu_seconds else 0.0
    yield told_of_few_rows(
        seen,
        NAME,
        rows,
        f"{steps:,} steps; of the {1000 * each:.2f} ms of the processor's time that one takes "
        f"from the model's answer to the optimizer at least {min(0.99, overhead):.0%} is not "
        "computing",
        min(share, part * _share_of_loop(trace, detail["lines"])),
    )


def _share_of_loop(trace: Trace, lines: Iterable[Any]) -> float:
    """The share of the run that the innermost loop around these lines took."""
    for file, line in lines:
        around = loop_around(file, line)
        if around is not None:
            return share_within(trace, file, range(around[0], around[1] + 1))
    return 1.0
