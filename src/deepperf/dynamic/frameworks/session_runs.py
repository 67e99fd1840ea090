"""Tells signals of the runs of TF1 sessions."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

LISTENERS = "_deepperf_listeners"
"""Where `run` keeps who is told: wrapped once, it costs as much as for one."""

Ended = Callable[[float], None]
"""Is told how many seconds a run took."""
Begun = Callable[[Any, Any, Any], Ended | None]
"""Is given the session, what is fetched and what is fed; None where it is not interested."""

MOST_NODES = 2000
"""Nodes of a graph that are looked at to tell whether a run changes anything."""
CHANGES = (
    "Assign",
    "Apply",
    "ResourceApply",
    "SparseApply",
    "ResourceSparse",
    "Scatter",
    "ResourceScatter",
    "PyFunc",
    "EagerPyFunc",
    "Iterator",
    "Queue",
    "Stage",
    "TensorArray",
)
"""How nodes begin that leave something behind for the next run, or are fed from elsewhere."""


def before_runs(tape: Tape, what: str, begun: Begun) -> None:
    """Have a signal, `what`, told of each run before it begins."""
    tape.imports.after(
        "tensorflow.python.client.session", lambda module: _wrap(tape, what, begun, module)
    )


def _wrap(tape: Tape, what: str, begun: Begun, module: ModuleType) -> None:
    cls: Any = module.BaseSession
    run = cls.run
    others: list[tuple[str, Begun]] | None = getattr(run, LISTENERS, None)
    if others is not None:
        others.append((what, begun))
        return
    listeners = [(what, begun)]

    @standing_for(run)
    def watched(self: Any, fetches: Any, feed_dict: Any = None, *rest: Any, **named: Any) -> Any:
        if not tape.active:
            return run(self, fetches, feed_dict, *rest, **named)
        asked = [
            (signal, tape.uncounted(signal, functools.partial(listener, self, fetches, feed_dict)))
            for signal, listener in listeners
        ]
        begin = time.perf_counter()
        try:
            return run(self, fetches, feed_dict, *rest, **named)
        finally:
            seconds = time.perf_counter() - begin
            for signal, ended in asked:
                if ended is not None:
                    tape.guarded(signal, functools.partial(ended, seconds))

    setattr(watched, LISTENERS, listeners)
    cls.run = watched


def changes_anything(graph: Any, fetches: Any) -> bool:
    """Whether what is fetched changes anything: training, and counting, does."""
    waiting = [graph.as_graph_element(one) for one in leaves_of(fetches)]
    waiting = [getattr(one, "op", one) for one in waiting]
    seen: set[Any] = set()
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if str(node.type).startswith(CHANGES):
            return True
        waiting += [one.op for one in node.inputs]
        waiting += node.control_inputs
    return bool(waiting)


def leaves_of(fetches: Any) -> Iterator[Any]:
    """The single things that a run fetches, however they are nested."""
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for part in fetches:
            yield from leaves_of(part)
    else:
        yield fetches
