"""How much memory the containers of a program hold in arrays and tensors, seen from outside."""

from __future__ import annotations

import inspect
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import islice
from types import FrameType
from typing import Any, NamedTuple

from deepperf.dynamic.recording.frame_variables import own_variables
from deepperf.dynamic.recording.places import DEEPEST, UserCode

CONTAINERS = frozenset((list, dict, set, tuple, deque, defaultdict, OrderedDict))
"""Types whose own methods are Python's: asking others would run code of the program's."""
LOOKED_AT = 24
"""Elements of a container that are measured, spread evenly; the others are taken to be alike."""
DEEPEST_CONTAINER = 3
"""Containers within each other that are looked into."""
MOST_NAMES = 300
"""Names of one scope that are looked at."""


class Holding(NamedTuple):
    """What a container holds: how many arrays, and their bytes, estimated where they are many."""

    arrays: int
    size: int


NOTHING = Holding(0, 0)


class Named(NamedTuple):
    """A container by the scope and the name that a program knows it by, `self.seen` for one."""

    file: str
    function: str
    line: int
    name: str
    value: Any


def holding_of(value: Any, depth: int = DEEPEST_CONTAINER) -> Holding:
    """What a value holds; nothing where it is no array, tensor or container of them."""
    if type(value) not in CONTAINERS:
        size = _bytes_of(value)
        return Holding(1, size) if size else NOTHING
    if not depth or not value:
        return NOTHING
    parts = _spread(list(value.values()) if isinstance(value, dict) else value)
    measured = {id(part): holding_of(part, depth - 1) for part in parts}
    # The same array put in twice is held once.
    times = len(value) / len(parts)
    arrays = sum(held.arrays for held in measured.values())
    return Holding(int(arrays * times), int(sum(held.size for held in measured.values()) * times))


def _spread(values: Any) -> Sequence[Any]:
    count = len(values)
    if count <= LOOKED_AT:
        return list(values)
    if isinstance(values, (list, tuple)):
        return [values[number * count // LOOKED_AT] for number in range(LOOKED_AT)]
    return list(islice(values, LOOKED_AT))


def _bytes_of(value: Any) -> int:
    """The bytes of an array that holds them itself; 0 for a view, and for anything else."""
    kind = type(value)
    home, name = kind.__module__, kind.__name__
    if name == "ndarray" and home == "numpy":
        return 0 if type(value.base) is kind else int(value.nbytes)
    if name == "EagerTensor":
        return int(value._num_elements()) * int(value.dtype.size)
    if name == "Tensor" and home == "torch":
        # What keeps a graph alive is told by another signal.
        if value.grad_fn is not None or value._is_view():
            return 0
        return int(value.element_size() * value.nelement())
    if name == "ArrayImpl":
        return int(value.nbytes)
    return 0


def containers_of(code: UserCode, frame: FrameType | None) -> Iterator[Named]:
    """The containers that the user's frames of a stack know by a name: their own, those of their
    modules, and the attributes of the user's objects among them."""
    seen: set[int] = set()
    scopes: set[int] = set()
    for _ in range(DEEPEST):
        if frame is None:
            return
        path = code.path_of(frame.f_code.co_filename)
        if path:
            if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
                place = (path, frame.f_code.co_name, frame.f_lineno)
                yield from _in_scope(code, own_variables(frame), place, seen)
            if id(frame.f_globals) not in scopes:
                scopes.add(id(frame.f_globals))
                yield from _in_scope(code, frame.f_globals, (path, "", 0), seen)
        frame = frame.f_back


def _in_scope(
    code: UserCode, scope: Any, place: tuple[str, str, int], seen: set[int]
) -> Iterator[Named]:
    for name, value in list(islice(scope.items(), MOST_NAMES)):
        kind = type(value)
        if id(value) in seen or name.startswith("__"):
            continue
        if kind in CONTAINERS and kind is not tuple:
            seen.add(id(value))
            yield Named(*place, name, value)
        elif _is_users(code, kind):
            seen.add(id(value))
            for attribute, held in list(getattr(value, "__dict__", {}).items())[:MOST_NAMES]:
                if type(held) in CONTAINERS and id(held) not in seen:
                    seen.add(id(held))
                    yield Named(*place, f"{name}.{attribute}", held)


def _is_users(code: UserCode, cls: type) -> bool:
    module = sys.modules.get(str(cls.__module__))
    return bool(code.path_of(getattr(module, "__file__", None) or "<nowhere>"))
