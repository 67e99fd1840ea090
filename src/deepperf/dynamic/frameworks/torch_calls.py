"""Tells signals, in windows, of the calls that a program makes to PyTorch modules from outside."""

from __future__ import annotations

import functools
import itertools
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from deepperf.dynamic.frameworks.torch_compiling import before_compiling
from deepperf.dynamic.recording.places import DEEPEST, Place, place_in
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.windows import Windows

NAME = "calls of modules"
EACH = 18e-6
"""Seconds that the two hooks take at the call of a module, most of them for the slower way on which
PyTorch calls a module that has any, and for finding out whether another module made it."""
MOST_WAYS = 5
"""Lines of the user's that are kept of what led to a call, the one that makes it included."""
COMPARED = 128
"""Numbers of a tensor by which it is told from others, spread over all of it."""
DIGESTED = 25e-6
"""Seconds that it takes to look at as many."""
MOST_PARTS = 16
"""Parts of a container that are looked into."""
LISTENERS = "_deepperf_listeners"
"""Where the module of modules keeps who is told: one pair of hooks costs least."""
MODULES = "torch/nn/modules/module.py"
CALLS = ("_wrapped_call_impl", "_call_impl", "inner")


@dataclass(frozen=True, slots=True)
class ModuleCall:
    """A call that has returned: of which module, with what, from where, how long.

    `ways` are the user's lines that led to it, the one that calls first.
    """

    torch: Any
    module: Any
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]
    output: Any
    ways: tuple[Place, ...]
    seconds: float

    @property
    def place(self) -> Place:
        return self.ways[0]

    def is_tensor(self, value: Any) -> bool:
        """Whether something is a plain tensor: of other kinds, asking may settle what is open."""
        return type(value) in (self.torch.Tensor, self.torch.nn.Parameter)

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
        found = [self._digest(value) for value in (*self.arguments, *self.named.values())]
        return None if not found or None in found else hash(tuple(found))

    def answered(self) -> int | None:
        """The same of the first tensor that was returned."""
        value = self.output
        while isinstance(value, (tuple, list)) and value:
            value = value[0]
        return self._digest(value) if self.is_tensor(value) else None

    def _digest(self, value: Any) -> int | None:
        if value is None or isinstance(value, (bool, int, float, str)):
            return hash(value)
        if isinstance(value, (Mapping, list, tuple)):
            parts = [self._digest(part) for part in _parts_of(value)]
            return None if None in parts or len(value) > MOST_PARTS else hash(tuple(parts))
        if not self.is_tensor(value) or value.device.type != "cpu" or not value.is_contiguous():
            return None
        flat = value.detach().view(-1)
        picked = flat[:: max(1, flat.numel() // COMPARED)].tolist()
        return hash((value.dtype, tuple(value.shape), tuple(picked)))


def _parts_of(value: Any) -> Iterable[Any]:
    parts = value.values() if isinstance(value, Mapping) else value
    return itertools.islice(parts, MOST_PARTS) if isinstance(value, (Mapping, list, tuple)) else ()


Listener = Callable[[ModuleCall], None]


def listen(tape: Tape, what: str, listener: Listener, note: Callable[[], None]) -> None:
    """Have a signal, `what`, told of calls once PyTorch is there, as long as the budget lasts, and
    asked to `note` what it knows now and then."""
    tape.imports.after("torch", lambda torch: _add(tape, torch, what, listener, note))


def _add(tape: Tape, torch: Any, what: str, listener: Listener, note: Callable[[], None]) -> None:
    home: Any = torch.nn.modules.module
    listening: _Listening | None = getattr(home, LISTENERS, None)
    if listening is None:
        listening = _Listening(tape, torch)
        setattr(home, LISTENERS, listening)
        listening.listeners.append((what, listener, note))
        listening.begin()
    else:
        listening.listeners.append((what, listener, note))


class _Listening:
    """Hears of each call that the program makes to a module, and not of those within one."""

    def __init__(self, tape: Tape, torch: Any) -> None:
        self.listeners: list[tuple[str, Listener, Callable[[], None]]] = []
        self._tape = tape
        self._torch = torch
        self._begun: dict[int, tuple[float, tuple[Place, ...]]] = {}
        self._handles: list[Any] = []
        self._windows = Windows(tape, NAME, EACH, self._open, self._close, self._note)

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
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._begun.clear()
        return True

    def _before(self, module: Any, _arguments: Any) -> None:
        if self._windows.is_enough() or not self._tape.active:
            return
        try:
            ways = self._called_from(sys._getframe(1))
            if ways:
                self._begun[id(module)] = (time.perf_counter(), ways)
        except Exception:  # noqa: BLE001 - an invariant: recording harms no program
            return
        finally:
            self._windows.heard()

    def _after(self, module: Any, arguments: Any, named: dict[str, Any], output: Any) -> None:
        begun = self._begun.pop(id(module), None)
        # While PyTorch traces a program, whatever is asked of a tensor becomes a part of it.
        if begun is None or self._torch._C._get_tracing_state() is not None:
            return
        begin, ways = begun
        seconds = time.perf_counter() - begin
        call = ModuleCall(self._torch, module, arguments, named, output, ways, seconds)
        # What is asked of a tensor here is nothing that the program asks.
        with self._torch._C.DisableTorchFunction():
            for what, listener, _ in self.listeners:
                self._tape.uncounted(what, functools.partial(listener, call))

    def _called_from(self, frame: FrameType | None) -> tuple[Place, ...]:
        """The user's lines that led to a call from outside of all modules; none for another."""
        code = self._tape.code
        is_own_call = True
        ways: list[Place] = []
        for _ in range(DEEPEST):
            if frame is None:
                break
            file, name = frame.f_code.co_filename, frame.f_code.co_name
            is_call = name in CALLS and file.endswith(MODULES)
            if is_call and not is_own_call:
                return ()
            is_own_call = is_own_call and is_call
            path = code.path_of(file)
            if path and len(ways) < MOST_WAYS:
                ways.append(place_in(path, frame))
            frame = frame.f_back
        return tuple(ways)

    def _note(self) -> None:
        for what, _, note in self.listeners:
            self._tape.guarded(what, note)
