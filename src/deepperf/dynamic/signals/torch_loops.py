"""Tiny PyTorch operations, or reads of single elements, are run one by one in a Python loop."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import (
    FLOOR,
    Diagnosis,
    Weight,
    own_share_of,
    share_of_seconds,
    share_within,
)
from deepperf.dynamic.frameworks.torch_compiling import before_compiling
from deepperf.dynamic.program.operation_loops import (
    Case,
    Loop,
    Smell,
    Words,
    diagnosis_of,
    loops_of,
    smells,
)
from deepperf.dynamic.program.turns import in_loop, needs_last_turn, picks_by_turn
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.windows import Windows

NAME = "torch-loops"
RULES = ("looped-draw", "looped-lookup", "looped-update", "per-slice-op")
EACH = 7e-6
"""Seconds that it takes to be told of one operation and to count it."""
FEWEST = 32
"""Operations of one kind from one line, among those heard: about the turns of its loop."""
MAIN_WORK = 0.3
"""Part of a loop's time from which on a line is what the loop is there for."""
MOST_FOR_ONE = 8
"""Operations that prepare the place and the value of one that is set."""
LARGER = 4
"""How many times as large as what is looked up a tensor is that is looked into."""
SCALARS = ("item", "__float__", "__int__", "__bool__", "__index__")
ASKED = ("__get__", "__set__", "dim", "size", "numel", "__len__", "__iter__", "randperm")
"""What only asks about a tensor, or takes or mixes it whole."""
TRAINS = "backward"
WRAPPERS = (
    "torch/overrides.py",
    "torch/functional.py",
    "torch/nn/functional.py",
    "torch/_tensor.py",
)
"""Files that stand between a line and the operation that it asks for itself."""
MODE_FILES = ("torch/overrides.py", "torch/utils/_device.py", "contextlib.py")
MODE_USES = ("handle_torch_function", "_pop_mode", "_push_mode", "_pop_torch_function_stack")
NEAREST = 4
"""Frames between where a mode is used and where it was asked for."""
WORDS = Words(
    reads=("from_file",),
    draws=("rand", "normal", "uniform_", "bernoulli", "multinomial"),
    updates=("__setitem__", "index_put", "index_fill", "select_scatter"),
    lookups=("__getitem__", "select", "index_select", "gather", "take", "narrow", "unbind"),
    around=("to", "float", "long", "tensor", "unsqueeze", "squeeze", "reshape", "view", "stack"),
)
CASES = {
    "update": Case(
        "looped-update",
        "missed-efficient-api",
        "places of a tensor are set one by one",
        "collect indices and values, and set all by one indexed assignment or `index_put_`; a mask "
        "comes from comparing with `torch.arange`",
    ),
    "draw": Case(
        "looped-draw",
        "missed-efficient-api",
        "random numbers are drawn one at a time",
        "draw all of them by one call with their shape, and scale what was drawn by the bounds",
    ),
    "lookup": Case(
        "looped-lookup",
        "missed-efficient-api",
        "parts of a tensor are picked one by one",
        "pick all of them by one index, `x[indices]`, or by `torch.gather`",
    ),
    "slice": Case(
        "per-slice-op",
        "missed-batch-api",
        "operations are applied slice by slice in a Python loop",
        "apply them once to the whole tensor, with `dim` for what the slices were, or map them by "
        "`torch.vmap`",
    ),
    "scalar": Case(
        "",
        "missed-batch-api",
        "the elements of a tensor are read one by one",
        "read all of them at once by `tolist()`, or compute with the whole tensor and read the "
        "result",
    ),
}


def watch(tape: Tape) -> None:
    """Listen to operations once PyTorch is there, as long as the budget lasts."""
    tape.imports.after("torch", lambda module: _Listening(tape, module).begin())


class _Seen:
    __slots__ = ("calls", "count", "elements", "kinds", "outer", "picked", "picks", "scalars")

    def __init__(self, outer: Place | None) -> None:
        self.count = 0
        self.calls = 0
        self.elements = 0
        self.picks = 0
        self.picked = 0
        self.scalars = 0
        self.kinds: Counter[str] = Counter()
        self.outer = outer


class _Listening:
    """Hears of operations of the main thread while its mode is on PyTorch's stack of modes."""

    def __init__(self, tape: Tape, torch: Any) -> None:
        self._tape = tape
        self._torch = torch
        self._overrides: Any = torch.overrides
        self._lines: dict[Place, _Seen] = {}
        self._mode = _mode(self._overrides, self._hear)
        self._asks = self._overrides.has_torch_function
        self._windows = Windows(tape, NAME, EACH, self._open, self._close, self._note)

    def begin(self) -> None:
        self._windows.begin()
        before_compiling(self._tape, self._windows.stop)

    def _stack(self) -> list[Any]:
        stack: list[Any] = self._overrides._get_current_function_mode_stack()
        return stack

    def _open(self, frame: FrameType | None) -> bool:
        # Above another's mode, leaving that one first would take ours away instead.
        if self._stack() or _uses_modes(frame):
            return False
        self._overrides._push_mode(self._mode)
        self._overrides.has_torch_function = self._asks_others
        return True

    def _close(self, frame: FrameType | None) -> bool:
        stack = self._stack()
        if not stack or stack[-1] is not self._mode or _uses_modes(frame):
            return False
        self._overrides._pop_mode()
        self._overrides.has_torch_function = self._asks
        return True

    def _asks_others(self, relevant: Any) -> Any:
        """Modules ask this to choose between two ways to compute: ours must not decide it."""
        stack = self._stack()
        if stack != [self._mode]:
            return self._asks(relevant)
        self._overrides._pop_mode()
        try:
            return self._asks(relevant)
        finally:
            self._overrides._push_mode(self._mode)

    def _hear(self, function: Any, arguments: Any, made: Any, frame: FrameType | None) -> None:
        if self._windows.is_enough() or not self._tape.active:
            return
        # While PyTorch traces a program, whatever is asked of a tensor becomes a part of it.
        if self._torch._C._get_tracing_state() is not None:
            return
        # An invariant: recording harms no program.
        with contextlib.suppress(Exception):
            self._take(getattr(function, "__name__", ""), arguments, made, frame)
        self._windows.heard()

    def _take(self, name: str, arguments: Any, made: Any, frame: FrameType | None) -> None:
        if name in ASKED:
            return
        code = self._tape.code
        is_own = True
        path = ""
        for _ in range(DEEPEST):
            if frame is None:
                return
            file = frame.f_code.co_filename
            path = code.path_of(file)
            if path:
                break
            is_own = is_own and file.endswith(WRAPPERS)
            frame = frame.f_back
        if frame is None:
            return
        place = Place(path, frame.f_lineno, frame.f_code.co_name)
        seen = self._lines.get(place)
        if seen is None:
            outer = code.place(frame.f_back)
            seen = self._lines[place] = _Seen(outer)
        if not is_own or name == TRAINS:
            seen.calls += 1
            return
        if name in SCALARS:
            seen.scalars += 1
            return
        seen.count += 1
        seen.kinds[name] += 1
        tensors = (self._torch.Tensor, self._torch.nn.Parameter)
        size = _elements(tensors, made)
        seen.elements += size
        if not arguments or type(arguments[0]) not in tensors:
            return
        whole, part = arguments[0], made
        if not name.startswith(WORDS.lookups):
            # A row that the loop itself goes over is a view of what it is a row of.
            whole, part = arguments[0]._base, arguments[0]
        if whole is not None and type(part) in tensors and _is_part(whole, part):
            seen.picks += 1
            seen.picked += part.numel()

    def _note(self) -> None:
        for place, seen in list(self._lines.items()):
            most = max(seen.kinds.values(), default=0)
            if max(most, seen.calls, seen.scalars) < FEWEST:
                continue
            self._tape.note(NAME, place, count=0)
            detail = self._tape.detail(NAME, place)
            for name in ("calls", "elements", "picks", "picked", "scalars"):
                detail[name] = getattr(seen, name)
            detail["heard"] = seen.count
            detail["kinds"] = dict(seen.kinds.most_common(8))
            if seen.outer is not None:
                detail["outer"] = [seen.outer.file, seen.outer.line]


def _mode(overrides: ModuleType, hear: Callable[..., None]) -> Any:
    """A mode that tells of each operation after it was done, and changes none."""
    base: Any = overrides.TorchFunctionMode

    class Mode(base):  # type: ignore[misc]
        def __torch_function__(
            self,
            func: Any,
            types: Any,
            args: Any = (),
            kwargs: Any = None,
        ) -> Any:
            made = func(*args, **(kwargs or {}))
            hear(func, args, made, sys._getframe(1))
            return made

    return Mode()


def _uses_modes(frame: FrameType | None) -> bool:
    """Whether what was interrupted may have asked whether there is a mode, and is about to use it.

    That is a function that names what is then called, or what that calls in turn.
    """
    for _ in range(NEAREST):
        if frame is None:
            return False
        code = frame.f_code
        if code.co_filename.endswith(MODE_FILES) or any(one in code.co_names for one in MODE_USES):
            return True
        frame = frame.f_back
    return False


def _elements(tensors: tuple[type, ...], made: Any) -> int:
    # Of other kinds of tensors, the size may be something that asking would settle.
    if type(made) in tensors:
        return int(made.numel())
    if isinstance(made, (tuple, list)):
        return sum(int(one.numel()) for one in made if type(one) in tensors)
    return 1


def _is_part(whole: Any, part: Any) -> bool:
    """Whether an element, a row or a column was taken; batches are as deep as what they are of."""
    return bool(part.dim() < whole.dim() and whole.numel() >= LARGER * part.numel())


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops in which tiny operations were heard, each for what it is a case of."""
    heard = [
        _without_storing(seen)
        for seen in trace.observations
        if seen.kind == NAME and "kinds" in seen.detail
    ]
    for loop, lines in loops_of(heard):
        if _calls_models(lines):
            # What is done once for each batch is no loop over elements.
            continue
        told = [one for one in smells(loop, lines, WORDS) if one.what in CASES]
        for smell in (*(told or _stores(lines)), *_scalars(lines)):
            if _can_be_joined(smell):
                yield from _diagnosis(trace, loop, smell)


def _without_storing(seen: Observation) -> Observation:
    """A line that does more than to set places only stores what it computes."""
    kinds: dict[str, int] = seen.detail["kinds"]
    stored = sum(count for kind, count in kinds.items() if kind.startswith(WORDS.updates))
    if not stored or stored * 2 >= seen.detail["heard"]:
        return seen
    rest = {kind: n for kind, n in kinds.items() if not kind.startswith(WORDS.updates)}
    return replace(seen, detail={**seen.detail, "kinds": rest, "stored": stored})


def _calls_models(lines: Sequence[Observation]) -> bool:
    """Whether each turn runs modules, or goes backward; what reads files may call anything."""
    most = max(max(seen.detail["kinds"].values(), default=0) for seen in lines)
    most = max(most, *(seen.detail["scalars"] for seen in lines))
    return bool(sum(seen.detail["calls"] for seen in lines) * 2 >= most)


def _stores(lines: Sequence[Observation]) -> Iterable[Smell]:
    """Places that are set from single elements, which are no slices of anything."""
    for seen in lines:
        if seen.detail.get("stored", 0) >= max(FEWEST, seen.detail["heard"] / MOST_FOR_ONE):
            yield Smell("update", (seen,))


def _scalars(lines: Sequence[Observation]) -> Iterable[Smell]:
    for seen in lines:
        if seen.detail["scalars"] >= FEWEST and in_loop(seen.file, seen.line):
            yield Smell("scalar", (seen,))


def _can_be_joined(smell: Smell) -> bool:
    lines = [(seen.file, seen.line) for seen in smell.lines]
    lines += [tuple(seen.detail["outer"]) for seen in smell.lines if "outer" in seen.detail]
    if any(needs_last_turn(*line) for line in lines):
        return False
    return smell.what in ("draw", "update", "scalar") or any(picks_by_turn(*one) for one in lines)


def _diagnosis(trace: Trace, loop: Loop, smell: Smell) -> Iterable[Diagnosis]:
    share = sum(own_share_of(trace, seen.file, seen.line) for seen in smell.lines) - _of_hearing(
        trace, smell
    )
    # A line that takes little of its loop's time is not what the loop is there for.
    if share < FLOOR or share < MAIN_WORK * share_within(
        trace, loop.file, range(loop.first, loop.last + 1)
    ):
        return
    case = CASES[smell.what]
    yield diagnosis_of(NAME, loop, smell, case, _evidence(smell), share, Weight.TIME)


def _evidence(smell: Smell) -> str:
    if smell.what == "scalar":
        count = smell.lines[0].detail["scalars"]
        return f"at least {count:,} elements were read, one at a time"
    kinds: Counter[str] = Counter()
    for seen in smell.lines:
        kinds.update(seen.detail["kinds"])
    heard = sum(seen.detail["heard"] for seen in smell.lines)
    most = ", ".join(kind.strip("_") for kind, _ in kinds.most_common(4))
    return f"at least {heard:,} operations ({most})"


def _of_hearing(trace: Trace, smell: Smell) -> float:
    """The share of the run that hearing of the operations took, which stands at their lines."""
    with_core = max(0.1, 1 - trace.coreless / trace.seconds) if trace.seconds else 1.0
    seconds = EACH * sum(seen.detail["heard"] for seen in smell.lines)
    return share_of_seconds(trace, seconds / with_core)
