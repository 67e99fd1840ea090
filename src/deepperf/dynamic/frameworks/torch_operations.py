"""Hears of each operation that a program asks PyTorch for, in windows, and sums up by line."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from types import FrameType
from typing import Any

from deepperf.dynamic.frameworks.heard import FEWEST, LARGER, MOST_KINDS, Heard, HeardLines
from deepperf.dynamic.frameworks.heard_broadcasts import HeardBroadcasts
from deepperf.dynamic.frameworks.torch_columns import rows_spread
from deepperf.dynamic.frameworks.torch_compiling import (
    after_optimizer_steps,
    before_compiling,
    before_optimizer_steps,
)
from deepperf.dynamic.frameworks.torch_lists import LISTED, MAKES, Listed, parts_listed
from deepperf.dynamic.frameworks.torch_modes import listening_mode, uses_modes
from deepperf.dynamic.frameworks.torch_positions import Positions
from deepperf.dynamic.frameworks.torch_targets import Targets
from deepperf.dynamic.frameworks.torch_transfers import (
    MOVED,
    MULTIPLIED,
    Moves,
    Products,
    move_of,
)
from deepperf.dynamic.frameworks.unheard_steps import UnheardSteps
from deepperf.dynamic.recording.accelerators import WHOLE
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.windows import Windows

EACH = 9e-6
"""Seconds that hearing of one operation is taken to have added to a line, after the fact."""
PER_TIMED = 1.3
"""Seconds that hearing takes in all for each that is timed of it."""
SPREAD = "spread columns"
"""The kind under which it is noted where a layer's column met a row of numbers."""
FEWEST_SPREAD = 3
"""Times that it did: once may be a trial."""
READS = frozenset(("item", "tolist", "__float__", "__int__", "__bool__", "__index__"))
"""What makes Python's numbers of a tensor."""
SCALARS = ("item", "__float__", "__int__", "__bool__", "__index__")
ASKED = ("__get__", "__set__", "dim", "size", "numel", "__len__", "randperm")
"""What only asks about a tensor, or takes or mixes it whole."""
LOOKUPS = (
    "__getitem__",
    "__iter__",
    "select",
    "index_select",
    "gather",
    "take",
    "narrow",
    "unbind",
)
TAKES_APART = ("__iter__", "unbind")
TRAINS = "backward"
WRAPPERS = (
    "torch/overrides.py",
    "torch/functional.py",
    "torch/nn/functional.py",
    "torch/_tensor.py",
)
"""Files that stand between a line and the operation that it asks for itself."""


def listen(tape: Tape, name: str) -> None:
    """Note under `name`, once PyTorch is there, what is heard as long as the budget lasts."""
    tape.imports.after("torch", lambda module: _Listening(tape, name, module).begin())


class _Seen(Heard):
    __slots__ = (
        "apart",
        "last",
        "listed",
        "longest",
        "moves",
        "reads",
        "scalars",
        "seconds",
        "spread",
        "spreads",
        "steps",
        "tests",
    )

    def __init__(self) -> None:
        super().__init__()
        self.scalars = 0
        self.reads = 0
        self.steps = 0
        self.last = -1
        self.spread = 0
        self.spreads = 0
        self.tests = 0
        self.seconds = 0.0
        self.longest = 0.0
        self.apart: Counter[str] = Counter()
        self.moves: Moves | None = None
        self.listed: Listed | None = None

    def took(self, seconds: float) -> None:
        self.seconds += seconds
        self.longest = max(self.longest, seconds)


class _Listening:
    """Hears of operations of the main thread while its mode is on PyTorch's stack of modes."""

    def __init__(self, tape: Tape, name: str, torch: Any) -> None:
        self._tape = tape
        self._name = name
        self._torch = torch
        self._overrides: Any = torch.overrides
        self._lines = HeardLines(tape.code, _Seen)
        self._tensors = (torch.Tensor, torch.nn.Parameter)
        self._broadcasts = HeardBroadcasts(self._bytes_of)
        self._windows = Windows(tape, name, PER_TIMED, self._open, self._close, self._note)
        self._steps = UnheardSteps(tape.code, self._windows, self._overrides)
        self._mode = listening_mode(self._overrides, self._windows, self._hear)
        self._steps.begin(self._mode)
        self._asks = self._overrides.has_torch_function
        self._products = Products()
        self._positions = Positions()
        self._targets = Targets(torch)

    def begin(self) -> None:
        self._windows.begin()
        before_compiling(self._tape, self._windows.stop)
        before_optimizer_steps(self._tape, self._steps.stepping)
        after_optimizer_steps(self._tape, self._stepped)

    def _stepped(self, optimizer: Any) -> None:
        unheard = self._steps.stepped(optimizer)
        if unheard:
            seen, _ = self._lines.asked_by(sys._getframe(1))
            if seen is not None:
                seen.calls += unheard

    def _stack(self) -> list[Any]:
        stack: list[Any] = self._overrides._get_current_function_mode_stack()
        return stack

    def _open(self, frame: FrameType | None) -> bool:
        # Above another's mode, leaving that one first would take ours away instead.
        if self._steps.is_switching or self._stack() or uses_modes(frame):
            return False
        self._overrides._push_mode(self._mode)
        self._overrides.has_torch_function = self._asks_others
        return True

    def _close(self, frame: FrameType | None) -> bool:
        if self._steps.is_switching or uses_modes(frame):
            return False
        stack = self._stack()
        if stack and stack[-1] is self._mode:
            self._overrides._pop_mode()
        elif not self._steps.closed():
            return False
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

    def _hear(
        self,
        function: Any,
        arguments: Any,
        named: Any,
        made: Any,
        seconds: float,
        frame: FrameType | None,
    ) -> None:
        if self._windows.is_enough() or not self._tape.active:
            return
        # While PyTorch traces a program, whatever is asked of a tensor becomes a part of it.
        if self._torch._C._get_tracing_state() is not None:
            return
        # An invariant: recording harms no program.
        with contextlib.suppress(Exception):
            name = getattr(function, "__name__", "")
            self._lines.last = None
            self._take(name, arguments, made, seconds, frame)
            self._follow_targets(name, arguments, named, made, seconds)

    def _take(
        self, name: str, arguments: Any, made: Any, seconds: float, frame: FrameType | None
    ) -> None:
        if name in ASKED:
            return
        self._steps.heard += 1
        # A class of the program's would hear of what is asked.
        if type(made) in self._tensors:
            self._products.add(name, made)
        seen, between = self._lines.asked_by(frame)
        if seen is None:
            return
        is_own = all(file.endswith(WRAPPERS) for file in between)
        tensors = self._tensors
        if type(made) in tensors and self._lines.last is not None:
            self._positions.made(name, made, self._lines.last, seconds)
        self._follow(name, arguments, made, self._lines.last if is_own else None)
        rows = rows_spread(tensors, name, arguments, made)
        if rows:
            seen.spreads += 1
            seen.spread = max(seen.spread, rows)
        if not is_own or name == TRAINS:
            if arguments and type(arguments[0]) in tensors:
                self._positions.used_within(name, arguments[0])
            seen.calls += 1
            return
        if arguments and type(arguments[0]) in tensors:
            self._take_move(seen, name, arguments[0], made)
            self._positions.used(name, arguments[0], made)
        seen.took(seconds)
        step = self._tape.ticks
        seen.steps += step != seen.last
        seen.last = step
        seen.reads += name in READS
        if name in MAKES:
            self._take_listed(seen, arguments, made, seconds)
        if name in SCALARS:
            seen.scalars += 1
            seen.tests += name == "__bool__"
            return
        if name in TAKES_APART:
            self._take_apart(seen, name, arguments)
            return
        seen.count += 1
        seen.kinds[name] += 1
        size = _elements(tensors, made)
        seen.elements += size
        if not arguments or type(arguments[0]) not in tensors:
            return
        part = _part_of(tensors, name, arguments[0], made)
        if part is not None:
            seen.picks += 1
            seen.picked += part.numel()

    def _follow_targets(
        self, name: str, arguments: Any, named: Any, made: Any, seconds: float
    ) -> None:
        place = self._lines.last
        if name == TRAINS:
            self._targets.went_back(seconds)
        elif place is not None:
            if arguments and type(arguments[0]) in self._tensors:
                self._targets.used(name, arguments, named, place, seconds)
            if type(made) in self._tensors:
                self._targets.made(name, made, place, seconds)

    def _take_move(self, seen: _Seen, name: str, given: Any, made: Any) -> None:
        move = move_of(name, given, made)
        if move is not None:
            seen.moves = seen.moves or Moves()
            seen.moves.add(move, self._tape.ticks)

    def _take_listed(self, seen: _Seen, arguments: Any, made: Any, seconds: float) -> None:
        parts = parts_listed(self._tensors, arguments[0] if arguments else None)
        if parts:
            seen.listed = seen.listed or Listed(parts)
            seen.listed.times += 1
            seen.listed.numbers += made.numel()
            seen.listed.seconds += seconds

    def _follow(self, name: str, arguments: Any, made: Any, place: Place | None) -> None:
        results = made if isinstance(made, (tuple, list)) else (made,)
        if name in LOOKUPS:
            self._broadcasts.picked(arguments)
        else:
            elements = sum(_elements(self._tensors, one) for one in results)
            self._broadcasts.take(place, elements, arguments, results)

    def _bytes_of(self, value: Any) -> int:
        """What a tensor holds by itself: one that was expanded holds what it was made of."""
        if type(value) not in self._tensors:
            return 0
        return int(min(value.numel() * value.element_size(), value.untyped_storage().nbytes()))

    def _take_apart(self, seen: _Seen, name: str, arguments: Any) -> None:
        """What a loop goes over is taken apart by one call, for all its turns."""
        whole = arguments[0]
        if name != "__iter__" and len(arguments) > 1:
            rows = whole.size(arguments[1])
        else:
            rows = len(whole) if whole.dim() else 0
        seen.apart[name] += rows
        seen.picks += rows
        seen.picked += whole.numel()

    def _note(self) -> None:
        if self._products.kinds:
            self._tape.note(MULTIPLIED, WHOLE, count=0, detail=dict(self._products.kinds))
        self._broadcasts.note(self._tape)
        self._positions.note(self._tape)
        self._targets.note(self._tape)
        for place, seen in self._lines:
            if seen.moves is not None:
                self._tape.note(MOVED, place, count=0, detail=seen.moves.told())
            if seen.listed is not None:
                told = seen.listed.told(seen.seconds)
                self._tape.note(LISTED, place, count=0, detail=told)
            if seen.spreads >= FEWEST_SPREAD:
                self._tape.note(SPREAD, place, count=0)
                self._tape.detail(SPREAD, place).update(times=seen.spreads, rows=seen.spread)
            # What a line takes apart says something of it only where it does nothing else.
            kinds = seen.kinds or seen.apart
            most = max(kinds.values(), default=0)
            if max(most, seen.calls, seen.scalars, seen.reads) < FEWEST:
                continue
            self._tape.note(self._name, place, count=0)
            detail = self._tape.detail(self._name, place)
            detail.update(seen.told(), scalars=seen.scalars, tests=seen.tests)
            detail.update(reads=seen.reads, steps=seen.steps)
            if not seen.count:
                detail["heard"] = sum(seen.apart.values())
                detail["elements"] = seen.picked
            detail["kinds"] = dict(kinds.most_common(MOST_KINDS))
            # What is loaded or set up when an operation is first run is no part of a turn.
            detail["seconds"] = seen.seconds - seen.longest
            detail["callers"] = [list(one) for one in seen.callers]


def _elements(tensors: tuple[type, ...], made: Any) -> int:
    # Of other kinds of tensors, the size may be something that asking would settle.
    if type(made) in tensors:
        return int(made.numel())
    if isinstance(made, (tuple, list)):
        return sum(int(one.numel()) for one in made if type(one) in tensors)
    return 1


def _part_of(tensors: tuple[type, ...], name: str, given: Any, made: Any) -> Any:
    """The part of a tensor that an operation takes or works on; None where it is no part.

    A row that the loop itself goes over is a view of what it is a row of.
    """
    if name.startswith(LOOKUPS) and type(made) in tensors and _is_part(given, made):
        return made
    return given if given._base is not None and _is_part(given._base, given) else None


def _is_part(whole: Any, part: Any) -> bool:
    """Whether an element, a row or a column was taken, by its index or by a slice of one; batches
    are as deep as what they are of."""
    if whole.numel() < LARGER * part.numel():
        return False
    sides = zip(part.shape, whole.shape, strict=False)
    return bool(part.dim() < whole.dim() or any(own == 1 < side for own, side in sides))
