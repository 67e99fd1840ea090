"""Runs a program, and counts by line what its turns add: nodes, sessions, traces of functions."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from tests.properties.repeating.programs import Vocabulary

FILE = "main.py"
ALL = 0
"""The line under which everything is counted."""
TURNS = (2, 5)

Counts = dict[str, Counter[int]]
"""By rule, what it is about, counted by line."""
Counting = Callable[[], AbstractContextManager[Counts]]


def added(text: str, words: Vocabulary, counting: Counting) -> dict[str, set[int]] | None:
    """By rule, the lines that add more the more often the loop turns.

    None for a program that fails.
    """
    found: list[Counts] = []
    try:
        for turns in (1, *TURNS):  # frameworks trace some functions of their own, once
            with counting() as counts:
                _run(text, words, turns)
            found.append(counts)
    except Exception:  # noqa: BLE001
        return None
    _, few, many = found
    more = TURNS[1] - TURNS[0]
    return {
        rule: {line for line, count in lines.items() if count - few[rule][line] >= more}
        for rule, lines in many.items()
    }


def _run(text: str, words: Vocabulary, turns: int) -> None:
    outside = types.ModuleType("outside")
    exec(words.library, outside.__dict__)
    outside.__dict__.update(turns=turns, flag=True)
    sys.modules["outside"] = outside
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, FILE, "exec"), {"__name__": "__main__"})
    finally:
        del sys.modules["outside"]


def _note(counts: Counter[int]) -> None:
    """Count something for all lines of the program that are at work."""
    frame: types.FrameType | None = sys._getframe()
    lines = {ALL}
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            lines.add(frame.f_lineno)
        frame = frame.f_back
    counts.update(lines)


@contextlib.contextmanager
def graphs() -> Iterator[Counts]:
    """Nodes that are added to the program's default graph, and sessions that are opened."""
    v1: Any = importlib.import_module("tensorflow.compat.v1")
    ops: Any = importlib.import_module("tensorflow.python.framework.ops")
    session: Any = importlib.import_module("tensorflow.python.client.session")
    with (
        # It would hold for all programs of this process; in a graph it makes no difference.
        patch.object(v1, "disable_v2_behavior"),
        ops.Graph().as_default() as graph,
        _counted(ops.Graph, "_create_op_from_tf_operation", graph) as copied,
        _counted(ops.Graph, "_create_op_internal", graph) as nodes,
        _counted(session.BaseSession, "__init__", None) as sessions,
    ):
        yield {"graph-growth": nodes, "session-per-step": sessions}
        nodes.update(copied)


@contextlib.contextmanager
def compilations() -> Iterator[Counts]:
    """Functions that JAX traces for `jit` and its kin, by the line that calls them."""
    monitoring: Any = importlib.import_module("jax._src.monitoring")
    counts: Counter[int] = Counter()

    def hear(event: str, _seconds: float, **_: Any) -> None:
        if event == "/jax/core/compile/jaxpr_trace_duration":
            _note(counts)

    monitoring.register_event_duration_secs_listener(hear)
    try:
        yield {"compiled-per-call": counts}
    finally:
        monitoring.unregister_event_duration_listener(hear)


@contextlib.contextmanager
def _counted(owner: Any, name: str, one: object) -> Iterator[Counter[int]]:
    """Calls of a method, of one object or, for None, of any."""
    counts: Counter[int] = Counter()
    real = getattr(owner, name)

    def counted(self: object, *args: Any, **kwargs: Any) -> Any:
        if one is None or self is one:
            _note(counts)
        return real(self, *args, **kwargs)

    setattr(owner, name, counted)
    try:
        yield counts
    finally:
        setattr(owner, name, real)
