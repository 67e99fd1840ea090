"""Tells signals, in windows, of the calls of PyTorch modules: those that a program makes from
outside, and those within a model that no gradient goes back through."""

from __future__ import annotations

import contextlib
import enum
import functools
import itertools
import sys
import time
import weakref
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple

from deepperf.dynamic.frameworks.torch_asked import AskedAgain
from deepperf.dynamic.frameworks.torch_compiling import before_compiling
from deepperf.dynamic.frameworks.torch_given import is_plain
from deepperf.dynamic.recording.places import DEEPEST, Place, place_in
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.windows import Windows

NAME = "calls of modules"
PER_TIMED = 1.7
"""Seconds that hearing takes in all for each that is timed of it: PyTorch calls modules that have
hooks on a slower way."""
MOST_WAYS = 5
"""Lines of the user's that are kept of what led to a call, the one that makes it included."""
COMPARED = 128
"""Numbers of a tensor by which it is told from others, spread over all of it."""
READ_WHOLE = 16384
"""Numbers at the beginning of a tensor that are all looked at."""
MOST_PARTS = 16
"""Parts of a container that are looked into."""
LARGE_ROW = 32
"""Numbers of a row below which two may be the same by chance, or are of a small world."""
OF_ROW = 12
"""Numbers by which a row is told from others."""
LISTENERS = "_deepperf_listeners"
"""Where the module of modules keeps who is told: one pair of hooks costs least."""
MODULES = "torch/nn/modules/module.py"
CALLS = ("_wrapped_call_impl", "_call_impl", "inner")


@dataclass(frozen=True, slots=True)
class ModuleCall:
    """A call that has returned: of which module, with what, from where, how long.

    `ways` are the user's lines that led to it, the one that calls first. `seconds` leave out those
    in which others had the cores.
    """

    torch: Any
    module: Any
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]
    output: Any
    ways: tuple[Place, ...]
    seconds: float
    _digests: dict[int, int | None] = field(default_factory=dict, compare=False)

    @property
    def place(self) -> Place:
        return self.ways[0]

    def is_tensor(self, value: Any) -> bool:
        """Whether something is a tensor of which may be asked."""
        return is_plain(self.torch, value)

    @property
    def given(self) -> Any:
        """The first tensor that was given, on its own or within a list or a dictionary; None where
        there is none."""
        return self._first((*self.arguments, *self.named.values()))

    def _first(self, values: Iterable[Any]) -> Any:
        for value in itertools.islice(values, MOST_PARTS):
            found = value if self.is_tensor(value) else self._first(_parts_of(value))
            if found is not None:
                return found
        return None

    @property
    def trains(self) -> bool:
        """Whether it may be a training step's."""
        return bool(self.module.training and self.torch.is_grad_enabled())

    def asked(self) -> int | None:
        """Some numbers of all that was given, as one; None where that cannot be told."""
        found = [self.digest(value) for value in (*self.arguments, *self.named.values())]
        return None if not found or None in found else hash(tuple(found))

    def answered(self) -> int | None:
        """The same of the first tensor that was returned."""
        value = self.output
        while isinstance(value, (tuple, list)) and value:
            value = value[0]
        return self.digest(value) if self.is_tensor(value) else None

    def rows_asked(self, about: int) -> Rows | None:
        """About so many of the rows of what was given first, chosen by what is in them: the same
        ones whenever they are asked about. None where it has no rows, or small ones, or not at
        hand."""
        value = self.given
        if value is None or value.dim() < 2 or value.size(0) < 2:
            return None
        picked = self._picked(value) if value.numel() >= LARGE_ROW * value.size(0) else None
        if picked is None:
            return None
        chosen = None
        if len(picked) > about:
            keys = picked.sum(1)
            bits = keys.float().view(self.torch.int32) if keys.is_floating_point() else keys
            chosen = (bits % (len(picked) // about) == 0).nonzero().view(-1)[: 2 * about]
            picked = picked[chosen]
        return Rows(value.size(0), chosen, _hashed(picked))

    def rows_answered(self, asked: Rows) -> list[int] | None:
        """The same rows of the first tensor that was returned, if it has as many."""
        value = self.output
        while isinstance(value, (tuple, list)) and value:
            value = value[0]
        is_by_row = self.is_tensor(value) and value.dim() and value.size(0) == asked.of
        picked = self._picked(value) if is_by_row and value.numel() else None
        if picked is None:
            return None
        return _hashed(picked if asked.chosen is None else picked[asked.chosen])

    def _picked(self, value: Any) -> Any:
        """Some numbers of each row."""
        if value.device.type != "cpu" or not value.is_contiguous():
            return None
        held = value.detach()
        held = self.torch.view_as_real(held) if held.is_complex() else held
        flat = held.view(value.size(0), -1)
        return flat[:, :: max(1, flat.size(1) // OF_ROW)]

    def digest(self, value: Any) -> int | None:
        """Some numbers of a value, as one; None where that cannot be told."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return hash(value)
        if isinstance(value, (Mapping, list, tuple)):
            parts = [self.digest(part) for part in _parts_of(value)]
            return None if None in parts or len(value) > MOST_PARTS else hash(tuple(parts))
        if not self.is_tensor(value) or value.device.type != "cpu" or not value.is_contiguous():
            return None
        # Several signals ask, of one call.
        if id(value) not in self._digests:
            self._digests[id(value)] = self._digest_of(value)
        return self._digests[id(value)]

    def _digest_of(self, value: Any) -> int:
        flat = value.detach().view(-1)
        picked = flat[:: max(1, flat.numel() // COMPARED)].tolist()
        # Pictures and maps may be empty wherever a few numbers are looked at.
        begin = zlib.crc32(flat[:READ_WHOLE].view(self.torch.uint8).numpy())
        return hash((value.dtype, tuple(value.shape), tuple(picked), begin))


def _parts_of(value: Any) -> Iterable[Any]:
    parts = value.values() if isinstance(value, Mapping) else value
    return itertools.islice(parts, MOST_PARTS) if isinstance(value, (Mapping, list, tuple)) else ()


class Rows(NamedTuple):
    """Rows that were asked about: of how many, which (all, if None), and a number for each."""

    of: int
    chosen: Any
    hashes: list[int]


def _hashed(picked: Any) -> list[int]:
    return [hash(tuple(row)) for row in picked.tolist()]


Listener = Callable[[ModuleCall], None]


class Which(enum.Enum):
    """Which calls a signal is told of."""

    OUTER = "outer"  # those that no other module makes
    SETTLED = "settled"  # those that no gradient goes back through, the outermost of each
    AGAIN = "again"  # those of a model's part that was once given the same tensor again


def listen(
    tape: Tape,
    what: str,
    listener: Listener,
    note: Callable[[], None],
    which: Which = Which.OUTER,
) -> None:
    """Have a signal, `what`, told of calls once PyTorch is there, as long as the budget lasts, and
    asked to `note` what it knows now and then."""
    told = _Told(what, listener, note, which)
    tape.imports.after("torch", lambda torch: _add(tape, torch, told))


class _Told(NamedTuple):
    what: str
    listener: Listener
    note: Callable[[], None]
    which: Which


class _Begun(NamedTuple):
    """A call that has not returned."""

    begin: float
    worked: float
    ways: tuple[Place, ...]
    kinds: tuple[Which, ...]


def _add(tape: Tape, torch: Any, told: _Told) -> None:
    home: Any = torch.nn.modules.module
    listening: _Listening | None = getattr(home, LISTENERS, None)
    if listening is None:
        listening = _Listening(tape, torch)
        setattr(home, LISTENERS, listening)
        listening.listeners.append(told)
        listening.begin()
    else:
        listening.listeners.append(told)


class _Listening:
    """Hears of each call that the program makes to a module, and of those within one that no
    training reaches."""

    def __init__(self, tape: Tape, torch: Any) -> None:
        self.listeners: list[_Told] = []
        self._tape = tape
        self._torch = torch
        self._begun: dict[int, _Begun] = {}
        self._settled: int | None = None
        self._again: int | None = None
        self._asked = AskedAgain(torch)
        self._frozen: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()
        self._handles: list[Any] = []
        self._windows = Windows(tape, NAME, PER_TIMED, self._open, self._close, self._note)

    def begin(self) -> None:
        self._windows.begin()
        before_compiling(self._tape, self._windows.stop)

    def _open(self, _frame: FrameType | None) -> bool:
        modules = self._torch.nn.modules.module
        self._handles = [
            modules.register_module_forward_pre_hook(self._before),
            modules.register_module_forward_hook(self._after, with_kwargs=True),
        ]
        return True

    def _close(self, _frame: FrameType | None) -> bool:
        # What PyTorch keeps of a hook beside it, it does not remove, and warns of when it compiles.
        named = getattr(
            self._torch.nn.modules.module, "_global_forward_hooks_with_kwargs", dict[int, bool]()
        )
        for handle in self._handles:
            handle.remove()
            named.pop(handle.id, None)
        self._handles = []
        self._begun.clear()
        self._settled = self._again = None
        return True

    def _before(self, module: Any, arguments: Any) -> None:
        begin = self._windows.hears()
        if not self._windows.is_enough() and self._tape.active:
            # An invariant: recording harms no program.
            with contextlib.suppress(Exception):
                self._begin(module, arguments, sys._getframe(1))
        self._windows.heard(begin)

    def _begin(self, module: Any, arguments: Any, frame: FrameType | None) -> None:
        is_outer = self._is_outer(frame)
        if is_outer:
            # One that has raised an error never returns.
            self._settled = self._again = None
        is_settled = self._settled is None and self._is_settled(module)
        is_again = not is_outer and self._again is None and self._asked.is_one(module, arguments)
        if is_settled:
            self._settled = id(module)
        if is_again:
            self._again = id(module)
        if not (is_outer or is_settled or is_again):
            return
        ways = self._ways_to(frame)
        kinds = (
            (Which.OUTER,) * is_outer + (Which.SETTLED,) * is_settled + (Which.AGAIN,) * is_again
        )
        if ways:
            self._begun[id(module)] = _Begun(time.perf_counter(), time.process_time(), ways, kinds)

    def _after(self, module: Any, arguments: Any, named: dict[str, Any], output: Any) -> None:
        begin = self._windows.hears()
        if self._settled == id(module):
            self._settled = None
        if self._again == id(module):
            self._again = None
        begun = self._begun.pop(id(module), None)
        # While PyTorch traces a program, whatever is asked of a tensor becomes a part of it.
        if begun is None or self._torch._C._get_tracing_state() is not None:
            self._windows.heard(begin)
            return
        # What listeners do differs from call to call.
        self._windows.measured(lambda: self._tell(begun, module, arguments, named, output))

    def _tell(
        self, begun: _Begun, module: Any, arguments: Any, named: dict[str, Any], output: Any
    ) -> None:
        worked = time.process_time() - begun.worked
        seconds = min(time.perf_counter() - begun.begin, worked)
        call = ModuleCall(self._torch, module, arguments, named, output, begun.ways, seconds)
        # What is asked of a tensor here is nothing that the program asks.
        core = self._torch._C
        with core.DisableTorchFunction(), core._DisableTorchDispatch():
            for told in self.listeners:
                if told.which in begun.kinds:
                    self._tape.uncounted(told.what, functools.partial(told.listener, call))

    def _is_settled(self, module: Any) -> bool:
        """Whether no training changes what a module answers through this call."""
        if not self._torch.is_grad_enabled():
            return True
        found = self._frozen.get(module)
        if found is None:
            weights = list(module.parameters())
            with self._torch._C.DisableTorchFunction():
                found = bool(weights) and not any(one.requires_grad for one in weights)
            self._frozen[module] = found
        return found

    def _is_outer(self, frame: FrameType | None) -> bool:
        """Whether no module makes the call that this frame is a part of."""
        is_own_call = True
        for _ in range(DEEPEST):
            if frame is None:
                break
            code = frame.f_code
            is_call = code.co_name in CALLS and code.co_filename.endswith(MODULES)
            if is_call and not is_own_call:
                return False
            is_own_call = is_own_call and is_call
            frame = frame.f_back
        return True

    def _ways_to(self, frame: FrameType | None) -> tuple[Place, ...]:
        """The user's lines that led to a call, the one that makes it first."""
        code = self._tape.code
        ways: list[Place] = []
        for _ in range(DEEPEST):
            if frame is None or len(ways) == MOST_WAYS:
                break
            path = code.path_of(frame.f_code.co_filename)
            if path:
                ways.append(place_in(path, frame))
            frame = frame.f_back
        return tuple(ways)

    def _note(self) -> None:
        for told in self.listeners:
            self._tape.guarded(told.what, told.note)
