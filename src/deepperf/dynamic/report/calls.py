"""Where the main thread's time goes, as a tree of calls: lines of the user's, and below them the
functions of libraries through which they were at work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deepperf.dynamic.recording.trace import Samples, Stack, Trace, shown_path

SMALLEST = 0.005
"""Part of the whole below which a call is not told apart."""
DEEPEST = 24
"""Calls within each other; what is further in belongs to the last."""

Key = tuple[str, str, int]
"""What a call is named, and its file and line; no file for a library's function."""


@dataclass(frozen=True, slots=True)
class Call:
    """A line or a function that was seen at work, in looks at the thread; what it called, the
    longest first."""

    name: str
    file: str
    line: int
    looks: float
    calls: tuple[Call, ...] = ()


class _Node:
    __slots__ = ("looks", "within")

    def __init__(self) -> None:
        self.looks = 0.0
        self.within: dict[Key, _Node] = {}

    def add(self, path: Iterator[Key], looks: float) -> None:
        node = self
        node.looks += looks
        for key in path:
            node = node.within.setdefault(key, _Node())
            node.looks += looks


def calls_of(trace: Trace) -> tuple[Call, ...]:
    """The outermost calls; those that took next to nothing are left out."""
    root = _Node()
    for stack in trace.stacks:
        for path, looks in _paths(trace, stack):
            root.add(iter(path[:DEEPEST]), looks)
    return _told(root, SMALLEST * root.looks)


def _paths(trace: Trace, stack: Stack) -> Iterator[tuple[list[Key], float]]:
    """The ways down from the outermost line, and how many of a stack's looks went each."""
    lines = [trace.samples[number] for number in reversed(stack.lines)]
    users: list[Key] = [
        (f"{shown_path(trace, one.file)}:{one.line} {one.function}", one.file, one.line)
        for one in lines
    ]
    if not lines:
        return
    rest = float(stack.looks)
    for way, part in _ways(lines[-1]):
        yield users + [(name, "", 0) for name in way], part * stack.looks
        rest -= part * stack.looks
    if rest > 0:
        yield users, rest


def _ways(line: Samples) -> Iterator[tuple[list[str], float]]:
    """The functions of libraries that a line was at, and the part of its own time."""
    whole = max(line.own, sum(line.calls.values()), 1)
    for way, looks in line.calls.items():
        yield way.split("/"), looks / whole


def _told(node: _Node, smallest: float) -> tuple[Call, ...]:
    found = (
        Call(*key, inner.looks, _told(inner, smallest))
        for key, inner in node.within.items()
        if inner.looks >= smallest and inner.looks > 0
    )
    return tuple(sorted(found, key=lambda call: (-call.looks, call.name)))
