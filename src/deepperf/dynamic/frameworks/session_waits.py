"""How long the runs of a TF1 session wait for their pipelines, told from a few traced runs."""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

TRACED = frozenset({4, 5, 6, 7, 16, 32, 64, 128, 512, 2048, 8192})
"""Runs of a graph that are traced: the first ones fill buffers, and later ones are much alike."""
GETS = "= IteratorGetNext("
"""What the label of an operation has in it that waits for an element."""

Waited = Callable[[str, float], None]


class SessionWaits:
    """Tells `waited` for each run how long it waited for which iterator, by its operation's name.

    Only graphs are looked at in which an iterator was made.
    """

    def __init__(self, tape: Tape, what: str, waited: Waited) -> None:
        self._tape = tape
        self._what = what
        self._waited = waited
        self._graphs: weakref.WeakKeyDictionary[Any, _Runs] = weakref.WeakKeyDictionary()
        tape.imports.after("tensorflow.python.client.session", self._wrap)

    def look_at(self, graph: Any) -> None:
        """Look at the runs of a graph, in which an iterator is made."""
        self._graphs.setdefault(graph, _Runs())

    def _wrap(self, module: ModuleType) -> None:
        cls: Any = module.BaseSession
        run = cls.run

        @standing_for(run)
        def watched(
            session: Any,
            fetches: Any,
            feed_dict: Any = None,
            options: Any = None,
            run_metadata: Any = None,
        ) -> Any:
            runs = self._graphs.get(session._graph) if self._graphs else None
            if runs is None or options is not None or run_metadata is not None:
                return run(session, fetches, feed_dict, options, run_metadata)
            runs.count += 1
            traced = None
            if runs.count in TRACED and self._tape.active:
                traced = self._tape.guarded(self._what, _tracing)
            begin = time.perf_counter()
            if traced is None:
                result = run(session, fetches, feed_dict)
            else:
                result = run(session, fetches, feed_dict, *traced)
            seconds = time.perf_counter() - begin
            if traced is not None:
                graph = session._graph
                self._tape.guarded(self._what, lambda: runs.learn(graph, traced[1], seconds))
            for iterator, part in runs.parts.items():
                self._waited(iterator, part * seconds)
            return result

        cls.run = watched


class _Runs:
    """What is known of the runs of one graph: the part of its time that each iterator takes."""

    def __init__(self) -> None:
        self.count = 0
        self.parts: dict[str, float] = {}
        self._seconds = 0.0
        self._waits: dict[str, float] = {}

    def learn(self, graph: Any, metadata: Any, seconds: float) -> None:
        """Take in a traced run."""
        self._seconds += seconds
        for device in metadata.step_stats.dev_stats:
            for node in device.node_stats:
                if GETS not in node.timeline_label:
                    continue
                iterator = graph.get_operation_by_name(node.node_name).inputs[0].op.name
                waited = self._waits.get(iterator, 0.0)
                self._waits[iterator] = waited + node.all_end_rel_micros / 1e6
        self.parts = {
            name: min(1.0, waited / self._seconds) for name, waited in self._waits.items()
        }


def _tracing() -> tuple[Any, Any]:
    """Options for a run that tells when its operations ran, and what it is told in."""
    # Sessions are made of it, so it is there: nothing is imported that the program does not.
    config_pb2: Any = sys.modules["tensorflow.core.protobuf.config_pb2"]
    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.SOFTWARE_TRACE)
    return options, config_pb2.RunMetadata()
