"""Counts what a test has PyTorch, JAX and TensorFlow compile or trace, and graphs that break."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deepperf.dynamic.frameworks.traced_functions import CALLBACKS, HOMES
from deepperf.dynamic.recording.places import Place, UserCode
from deepperf.dynamic.signals.recompilation import COMPILED, compiled_place, is_of_library

DYNAMO = "torch._dynamo.utils"


@contextmanager
def compilations(code: UserCode) -> Iterator[Counter[Place]]:
    """The functions of the user's that were compiled meanwhile, by line."""
    found: Counter[Place] = Counter()
    before = _metrics()
    with _heard_from_jax(code, found), _heard_from_tensorflow(code, found):
        yield found
    for one in _metrics():
        if one.is_forward is not False and not any(one is other for other in before):
            place = compiled_place(code, one)
            if place is not None:
                found[place] += 1


@contextmanager
def graph_breaks(code: UserCode) -> Iterator[Counter[Place]]:
    """The places at which graphs of `torch.compile` broke meanwhile."""
    found: Counter[Place] = Counter()
    before = len(_breaks())
    yield found
    for broken in _breaks()[before:]:
        for entry in reversed(broken.user_stack):
            path = code.path_of(entry.filename)
            if path:
                found[Place(path, entry.lineno or 0, entry.name)] += 1
                break


def _metrics() -> list[Any]:
    module: Any = sys.modules.get(DYNAMO)
    return [] if module is None else list(module.get_compilation_metrics())


def _breaks() -> list[Any]:
    module: Any = sys.modules.get(DYNAMO)
    return [] if module is None else list(module.graph_break_reasons)


@contextmanager
def _heard_from_jax(code: UserCode, found: Counter[Place]) -> Iterator[None]:
    monitoring: Any = sys.modules.get("jax._src.monitoring")
    if monitoring is None:
        yield
        return

    def hear(event: str, seconds: float, **_: Any) -> None:  # noqa: ARG001 - as JAX calls it
        frame = sys._getframe(1)
        place = code.place(frame) if event == COMPILED else None
        if place is not None and not is_of_library(code, frame):
            found[place] += 1

    monitoring.register_event_duration_secs_listener(hear)
    try:
        yield
    finally:
        monitoring.unregister_event_duration_listener(hear)


@contextmanager
def _heard_from_tensorflow(code: UserCode, found: Counter[Place]) -> Iterator[None]:
    lists = [
        listeners
        for home in HOMES
        if (listeners := getattr(sys.modules.get(home), CALLBACKS, None)) is not None
    ]

    def hear(_: Any) -> None:
        place = code.place(sys._getframe(1))
        if place is not None:
            found[place] += 1

    for listeners in lists[:1]:
        listeners.append(hear)
    try:
        yield
    finally:
        for listeners in lists[:1]:
            listeners.remove(hear)
