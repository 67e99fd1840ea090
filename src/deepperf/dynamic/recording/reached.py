"""Which lines of a function ran, told without watching: by the traces that running leaves in it.

From 3.11 on, Python keeps counters beside the instructions of a function and writes to them as
these run, once the function has been called or has looped a few times. So a line that is told
did run; of one that is not, nothing is known.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

from deepperf.dynamic.recording.places import UserCode

_COUNTER = 0
"""The operation code of what stands where a counter is."""
MOST_WRAPPERS = 20
"""Functions around a function that are looked through."""


def lines_reached(code: UserCode, main: CodeType | None) -> dict[str, list[int]]:
    """Lines that surely ran in each of the user's files; `main` is the script's code, if known.

    A file that was imported is there even if none of its lines is.
    """
    loaded = ((module, _path_of(module, code)) for module in list(sys.modules.values()))
    files = [(module, path) for module, path in loaded if path]
    modules = [module for module, _ in files]
    values = itertools.chain.from_iterable(vars(module).values() for module in modules)
    names = {str(getattr(module, "__name__", "")) for module in modules}
    roots = [*([main] if main else ()), *_codes_of(values, names, set())]
    found: dict[str, set[int]] = {path: set() for _, path in files}
    seen: set[int] = set()
    for root in roots:
        for one in _nested(root, seen):
            path = code.path_of(one.co_filename)
            if path:
                found.setdefault(path, set()).update(_lines(one))
    return {path: sorted(lines) for path, lines in found.items()}


def _path_of(module: object, code: UserCode) -> str:
    """The user's file that a module is, "" where it is none: a program may put anything there."""
    name = getattr(module, "__file__", None)
    if not isinstance(name, str) or not name or not hasattr(module, "__dict__"):
        return ""
    return code.path_of(name)


def _codes_of(values: Iterable[Any], modules: set[str], seen: set[int]) -> Iterator[CodeType]:
    """The code of functions, and of what the classes of some modules among the values define.

    A library's class may lead through all of the library. What is `seen` is not looked into.
    """
    for value in list(values):
        one = value
        for _ in range(MOST_WRAPPERS):
            if isinstance(one, FunctionType):
                yield one.__code__
            inner = getattr(one, "__dict__", {}).get("__wrapped__") if callable(one) else None
            if inner is None:
                break
            one = inner
        if isinstance(value, (classmethod, staticmethod)):
            yield from _codes_of([value.__func__], modules, seen)
        elif isinstance(value, property):
            yield from _codes_of([value.fget, value.fset], modules, seen)
        elif isinstance(value, type) and value.__module__ in modules and id(value) not in seen:
            seen.add(id(value))
            yield from _codes_of(vars(value).values(), modules, seen)


def _nested(root: CodeType, seen: set[int]) -> Iterator[CodeType]:
    if id(root) not in seen:
        seen.add(id(root))
        yield root
        for constant in root.co_consts:
            if isinstance(constant, CodeType):
                yield from _nested(constant, seen)


def _lines(code: CodeType) -> Iterator[int]:
    now = getattr(code, "_co_code_adaptive", b"")
    plain = code.co_code
    # A copy has never run: its counters are those that Python begins with.
    fresh = getattr(code.replace(), "_co_code_adaptive", b"")
    if not len(now) == len(plain) == len(fresh):
        return
    for begin, end, line in code.co_lines():
        if line is not None and any(
            plain[at] == _COUNTER and now[at : at + 2] != fresh[at : at + 2]
            for at in range(begin, end, 2)
        ):
            yield line
