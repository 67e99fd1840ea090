"""How much memory the containers of a program hold in arrays and tensors, seen from outside."""

from __future__ import annotations

import inspect
import mmap
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import islice
from types import FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

from deepperf.dynamic.recording.frame_variables import own_variables
from deepperf.dynamic.recording.places import DEEPEST, UserCode

CONTAINERS = frozenset((list, dict, set, tuple, deque, defaultdict, OrderedDict))
"""Types whose own methods are Python's: asking others would run code of the program's."""
LOOKED_AT = 24
"""Elements of a container that are measured, spread evenly; the others are taken to be alike."""
DEEPEST_CONTAINER = 4
"""Containers within each other that are looked into."""
DEEPEST_OBJECT = 3
"""Objects of the user's within each other."""
OF_PLAIN = 4
"""The same where a container holds no arrays, of which most hold little."""
PLAIN = frozenset((str, bytes, bytearray, int, float, complex))
"""Types of what a container may hold much of beside arrays."""
LOOKING = 3
"""References that looking at an element adds to those of whoever holds it."""
SHARED = 0.5
"""Storages for each array up to which arrays are taken to be views of the same ones."""
GATHERING = ("evaluation_loop", "prediction_loop", "predict", "evaluate", "fit", "test", "run")
"""Functions of libraries that may gather what models give."""
OF = " of "
MOST_NAMES = 300
"""Names of one scope that are looked at."""


class Holding(NamedTuple):
    """What a container holds: how many arrays, and the bytes of their storages, each counted once;
    estimated where they are many."""

    arrays: int
    size: int


class Named(NamedTuple):
    """A container by the scope and the name that a program knows it by, `self.seen` for one.

    `home` is the file of the class whose attribute it is, or that of the scope.
    """

    file: str
    function: str
    line: int
    name: str
    value: Any
    home: str


def holding_of(code: UserCode, value: Any) -> Holding:
    """What a value holds; nothing where it is no array, tensor, or container of them."""
    arrays, storages = _held_by(code, value, DEEPEST_CONTAINER)
    return Holding(int(arrays), int(sum(storages.values())))


def plain_in(value: Any) -> Holding:
    """How many texts and numbers a container of the program's holds, in others within it too, and
    the bytes of all that; what several hold counts in parts."""
    objects, size = _plain_in(value, DEEPEST_CONTAINER)
    return Holding(int(objects), int(size))


def _plain_in(value: Any, depth: int) -> tuple[float, float]:
    kind = type(value)
    if kind in PLAIN:
        return 1.0, float(sys.getsizeof(value))
    if kind not in CONTAINERS or not depth:
        return 0.0, 0.0
    inner: Any = value.values() if isinstance(value, dict) else value
    count = len(inner)
    try:
        if isinstance(inner, (list, tuple)):
            looked_at = min(count, OF_PLAIN)
            parts = [inner[number * count // looked_at] for number in range(looked_at)]
        else:
            parts = list(islice(inner, OF_PLAIN))
    except (IndexError, RuntimeError):  # another thread changes it meanwhile
        return 0.0, 0.0
    objects = size = 0.0
    for part in parts:
        holders = max(1, sys.getrefcount(part) - LOOKING)
        more, held = _plain_in(part, depth - 1)
        objects += more
        size += held / holders
    times = count / max(1, len(parts))
    return objects * times, sys.getsizeof(value) + size * times


def graphs_in(value: Any) -> int:
    """How many tensors of PyTorch's a list, deque or dict holds that keep how they were computed,
    as far as its last element tells."""
    last: Any = value[-1] if type(value) in (list, deque) and len(value) else None
    if type(value) is dict and value:
        last = value[next(reversed(value))]
    parts: Sequence[Any] = last if type(last) in (tuple, list) else (last,)
    return len(value) if any(map(_has_graph, islice(parts, LOOKED_AT))) else 0


def _has_graph(value: Any) -> bool:
    kind = type(value)
    is_tensor = kind.__name__ == "Tensor" and kind.__module__ == "torch"
    return is_tensor and value.grad_fn is not None


def _held_by(code: UserCode, value: Any, depth: int) -> tuple[float, dict[int, float]]:
    """How many arrays, and the bytes of their storages by what tells these apart."""
    storage = _storage_of(value)
    if storage is not None:
        return 1.0, dict([storage])
    inner = _inside(code, value) if depth else []
    if not inner:
        return 0.0, {}
    parts = _spread(inner)
    arrays, known, storages = 0.0, 0, dict[int, float]()
    for part in {id(part): part for part in parts}.values():
        more, held = _held_by(code, part, depth - 1)
        arrays += more
        known += len(held)
        for key, size in held.items():
            storages[key] = max(size, storages.get(key, 0.0))
    times = len(inner) / len(parts)
    # Where those looked at share storages, the others do as well.
    is_shared = len(storages) <= SHARED * known
    return arrays * times, storages if is_shared else {k: n * times for k, n in storages.items()}


def _inside(code: UserCode, value: Any) -> Any:
    """What a container or an object of the user's holds; nothing of anything else."""
    kind = type(value)
    if kind in CONTAINERS:
        return list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, tuple):
        return list(tuple.__iter__(value))
    return list(attributes_of(value).values()) if is_users(code, kind) else []


def _spread(values: Any) -> Sequence[Any]:
    count = len(values)
    if count <= LOOKED_AT:
        return list(values)
    if isinstance(values, (list, tuple)):
        return [values[number * count // LOOKED_AT] for number in range(LOOKED_AT)]
    return list(islice(values, LOOKED_AT))


def _storage_of(value: Any) -> tuple[int, float] | None:
    """What tells the memory behind an array from others, and its bytes: a view's are those of what
    it looks into. None for anything else, and for what lies in a file or on a device."""
    kind = type(value)
    home, name = kind.__module__, kind.__name__
    if name == "ndarray" and home == "numpy":
        while type(value.base) is kind:
            value = value.base
        return None if isinstance(value.base, mmap.mmap) else (id(value), float(value.nbytes))
    if name == "EagerTensor":
        return id(value), float(value._num_elements() * value.dtype.size)
    if name == "Tensor" and home == "torch":
        # What keeps a graph alive is told by another signal.
        is_plain = value.device.type == "cpu" and str(value.layout) == "torch.strided"
        if value.grad_fn is not None or not is_plain:
            return None
        storage = value.untyped_storage()
        return int(storage.data_ptr()), float(storage.nbytes())
    if name == "ArrayImpl":
        return id(value), float(value.nbytes)
    return None


def containers_of(code: UserCode, frame: FrameType | None) -> Iterator[Named]:
    """The containers that the frames of a stack know by a name: the user's, those of their modules,
    the attributes of the user's objects among them and of theirs; and a library's own, which belong
    to the line that called it."""
    seen: set[int] = set()
    scopes: set[int] = set()
    foreign: list[FrameType] = []
    for _ in range(DEEPEST):
        if frame is None:
            return
        path = code.path_of(frame.f_code.co_filename)
        if path:
            place = (path, frame.f_code.co_name, frame.f_lineno)
            for one in foreign:
                yield from _of_library(one, place, seen)
            foreign = []
            if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
                yield from _in_scope(code, own_variables(frame), place, seen)
            if id(frame.f_globals) not in scopes:
                scopes.add(id(frame.f_globals))
                yield from _in_scope(code, frame.f_globals, (path, "", 0), seen)
        elif frame.f_code.co_name in GATHERING:
            foreign.append(frame)
        frame = frame.f_back


def _in_scope(
    code: UserCode, scope: Any, place: tuple[str, str, int], seen: set[int]
) -> Iterator[Named]:
    for name, value in list(islice(scope.items(), MOST_NAMES)):
        if not name.startswith("__"):
            yield from _under(code, name, value, place, place[0], seen, DEEPEST_OBJECT)


def _under(
    code: UserCode,
    name: str,
    value: Any,
    place: tuple[str, str, int],
    home: str,
    seen: set[int],
    depth: int,
) -> Iterator[Named]:
    """What is found under a name: a container itself, those of an object of the user's."""
    kind = type(value)
    if id(value) in seen:
        return
    if kind in CONTAINERS and kind is not tuple:
        seen.add(id(value))
        yield Named(*place, name, value, home)
    elif depth and is_users(code, kind):
        seen.add(id(value))
        home = home_of(code, kind)
        for attribute, held in list(islice(attributes_of(value).items(), MOST_NAMES)):
            yield from _under(code, f"{name}.{attribute}", held, place, home, seen, depth - 1)
    elif depth and kind is FunctionType and value.__closure__:
        seen.add(id(value))
        yield from _in_closure(code, value, seen, depth - 1)
    elif depth and kind is MethodType:
        yield from _under(code, name, value.__self__, place, home, seen, depth)


def _in_closure(
    code: UserCode, function: FunctionType, seen: set[int], depth: int
) -> Iterator[Named]:
    """What a function of the user's holds of the functions around it."""
    made = function.__code__
    path = code.path_of(made.co_filename)
    if not path:
        return
    place = (path, made.co_name, made.co_firstlineno)
    for name, cell in zip(made.co_freevars, function.__closure__ or (), strict=False):
        try:
            value = cell.cell_contents
        except ValueError:  # it is bound later
            continue
        yield from _under(code, name, value, place, path, seen, depth)


def _of_library(frame: FrameType, place: tuple[str, str, int], seen: set[int]) -> Iterator[Named]:
    """What a library gathers, in variables of its own or in attributes of its objects."""
    for name, value in own_variables(frame).items():
        if type(value) not in CONTAINERS and type(value).__module__ == frame.f_globals["__name__"]:
            continue
        held = value if type(value) in CONTAINERS else attributes_of(value)
        for part in (held, *(held.values() if isinstance(held, dict) else ())):
            if type(part) in (list, deque) and id(part) not in seen:
                seen.add(id(part))
                yield Named(*place, f"{name}{OF}{frame.f_code.co_name}", part, "")


def attributes_of(value: Any) -> dict[str, Any]:
    """The attributes of an object, without running code of its class."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    if type(found) is not dict:
        return {}
    modules = found.get("_modules")
    # PyTorch keeps the parts of a module apart.
    return {**found, **modules} if type(modules) is dict else found


def is_users(code: UserCode, cls: type) -> bool:
    """Whether a class stands in the user's code."""
    return bool(home_of(code, cls))


def home_of(code: UserCode, cls: type) -> str:
    """The user's file that a class stands in; "" for any other."""
    module = sys.modules.get(str(cls.__module__))
    return code.path_of(getattr(module, "__file__", None) or "<nowhere>")
