"""A loop steps a PyTorch cell, or a recurrent layer, through a sequence that is there already."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, told_at
from deepperf.dynamic.frameworks.torch_compiling import before_compiling
from deepperf.dynamic.program.turns import loops_around, only_carries_state
from deepperf.dynamic.recording.places import DEEPEST
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "stepped-cells"
BY_LOOKS = True
RULES = ("stepped-cells",)
LAYERS = {"LSTMCell": "LSTM", "GRUCell": "GRU", "RNNCell": "RNN"}
"""What goes through a whole sequence as a cell goes through one step of it."""
WHOLE = frozenset(LAYERS.values())
"""What does so, and may be handed one step after the other all the same."""
SIZES = f"{NAME} sizes"
CALLED = f"{NAME} called"
"""What is noted of the line that led to the one that steps: the loop may stand there."""
FEWEST_LOOKS = 8
"""Looks that met a cell below which they may have done so by chance."""
SMALL = 1_000_000
"""Multiplications of a step up to which it is mostly dispatch on a CPU: of a layer, steps of 0.1 to
0.3 million took a fourth to an eighth of the time, and of 40 million as long."""
SPARED = 0.7
"""Part of the time that a layer spares there."""
MEASURED = 8
"""Calls with one step whose sizes are looked at."""
LOOKED_AT = 64
"""Calls of cells and recurrent layers until then: most layers are never handed a single step."""
MOST_CALLS = 4000
"""Calls of any modules after which none is waited for: a cell that was made is used by then."""


def watch(tape: Tape) -> None:
    """Look now and then whether a cell is at work, and at the sizes of the first calls."""
    tape.imports.after("torch.nn.modules.rnn", functools.partial(_learn, tape))


def _learn(tape: Tape, module: Any) -> None:
    cells = {getattr(module, name).forward.__code__: name for name in (*LAYERS, *WHOLE)}
    tape.at_samples(NAME, functools.partial(_look, tape, cells))
    sizes = _Sizes(tape)
    for base in (module.RNNCellBase, module.RNNBase):
        _wrap(tape, sizes, base)
    before_compiling(tape, sizes.stop)


def _wrap(tape: Tape, sizes: _Sizes, base: Any) -> None:
    make = base.__init__

    @standing_for(make)
    def made(self: Any, *arguments: Any, **named: Any) -> None:
        make(self, *arguments, **named)
        tape.guarded(NAME, sizes.begin)

    base.__init__ = made


def _look(tape: Tape, cells: dict[CodeType, str], frame: FrameType | None) -> None:
    name = ""
    for _ in range(DEEPEST):
        if frame is None:
            return
        name = cells.get(frame.f_code, name)
        if tape.code.path_of(frame.f_code.co_filename):
            break
        frame = frame.f_back
    places = tape.code.stack(frame)[:2] if name else []
    for number, place in enumerate(places):
        detail = {"cell": name, "inner": list(places[0][:2])}
        tape.note(CALLED if number else NAME, place, detail=detail)


class _Sizes:
    """Listens to modules from when a cell or a recurrent layer is made until some were at work.

    These themselves get no hooks: these would be saved and copied with them.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._handle: Any = None
        self._left = MOST_CALLS
        self._looked_at = self._measured = 0

    def begin(self) -> None:
        """A cell or a layer was made."""
        self._looked_at = self._measured = 0
        if self._handle is None and self._left > 0 and self._tape.active:
            modules = sys.modules["torch.nn.modules.module"]
            self._handle = modules.register_module_forward_hook(self._after)

    def stop(self) -> None:
        """Look at nothing any more."""
        self._left = 0
        self._rest()

    def _rest(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def _after(self, module: Any, arguments: Any, _answer: Any) -> None:
        self._left -= 1
        kind = type(module).__name__
        if (kind in LAYERS or kind in WHOLE) and arguments:
            frame = sys._getframe(1)
            self._looked_at += 1
            self._tape.guarded(NAME, lambda: self._measure(module, arguments[0], frame))
        enough = self._measured >= MEASURED or self._looked_at >= LOOKED_AT
        if self._left <= 0 or enough:
            self._tape.guarded(NAME, self._rest)

    def _measure(self, module: Any, given: Any, frame: FrameType) -> None:
        place = self._tape.code.place(frame)
        rows = _rows_of_step(module, given)
        if place is None or not rows or given.device.type != "cpu":
            return
        self._measured += 1
        weights = sum(one.numel() for one in module.parameters() if one.dim() > 1)
        self._tape.note(SIZES, place)
        detail = self._tape.detail(SIZES, place)
        detail["products"] = max(detail.get("products", 0), rows * weights)


def _rows_of_step(module: Any, given: Any) -> int:
    """The rows of what is one step of sequences; 0 of what has more steps, or is packed."""
    if type(module).__name__ in LAYERS:
        return int(given.size(0)) if given.dim() > 1 else 1
    if not hasattr(given, "dim"):
        return 0
    if given.dim() < 3:
        return int(given.size(0) == 1)
    by_rows, steps = (0, 1) if module.batch_first else (1, 0)
    return int(given.size(by_rows)) if given.size(steps) == 1 else 0


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The lines that step, though a layer could."""
    sizes = {
        (seen.file, seen.line): seen.detail["products"]
        for seen in trace.observations
        if seen.kind == SIZES
    }
    for seen in trace.observations:
        is_called = seen.kind == CALLED and not loops_around(*seen.detail["inner"])
        if seen.count >= FEWEST_LOOKS and trace.sampled and (is_called or seen.kind == NAME):
            share = min(1.0, SPARED * seen.count / trace.sampled)
            is_small = sizes.get(tuple(seen.detail["inner"]), SMALL + 1) <= SMALL
            if share >= FLOOR and is_small and only_carries_state(seen.file, seen.line):
                yield _diagnosis(trace, seen, share)


def _diagnosis(trace: Trace, seen: Observation, share: float) -> Diagnosis:
    cell = seen.detail["cell"]
    return told_at(
        seen,
        signal=NAME,
        cause="missed-efficient-api",
        message=f"a Python loop steps a `{cell}` through a sequence that is already complete",
        evidence=(
            f"the steps took {seen.count * trace.interval:.2f} s, without their backward passes"
        ),
        remedy=(
            f"pass the whole sequence to `torch.nn.{LAYERS[cell]}`, which has the same weights "
            "and loops internally"
            if cell in LAYERS
            else f"pass the whole sequence to the `{cell}`, which loops internally"
        ),
        share=share,
        rule=RULES[0],
    )
