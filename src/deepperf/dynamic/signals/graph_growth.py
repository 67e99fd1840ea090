"""Nodes are added to a graph between runs of a session."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of, share_of_seconds, told_at
from deepperf.dynamic.frameworks.session_runs import Ended, before_runs
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import SESSION_RUNS, Trace

NAME = "graph-growth"
RULES = ("graph-growth",)
EXPLAINS_GROWTH = True
GROWING_RUNS = 5
"""Runs before which a graph grew: setting up adds nodes before a few runs, a loop before each."""
NEWEST = 200
"""Nodes that are asked where they were made, of those added before one run."""


def watch(tape: Tape) -> None:
    """Look at the graph's version whenever a session runs."""
    # By identity of the graph: its version when it was last run, and how many nodes it had.
    known: dict[int, tuple[int, int]] = {}
    before_runs(tape, NAME, lambda session, *_: _begun(tape, known, session._graph))


def _begun(tape: Tape, known: dict[int, tuple[int, int]], graph: Any) -> Ended | None:
    tape.step(SESSION_RUNS)
    before = known.get(id(graph))
    if before is not None and before[0] == graph.version:
        return None
    grown = tape.guarded(NAME, lambda: _grown(tape, graph, before, known))
    # A session takes in what is new before it runs: that is what growing costs.
    return functools.partial(_note, tape, grown) if grown else None


def _grown(
    tape: Tape, graph: Any, before: tuple[int, int] | None, known: dict[int, tuple[int, int]]
) -> dict[Place, list[str]]:
    """The kinds of the nodes that are new since the last run, by the line that made them."""
    operations = graph.get_operations()
    known[id(graph)] = (graph.version, len(operations))
    places: dict[Place, list[str]] = {}
    for operation in operations[before[1] :][:NEWEST] if before is not None else ():
        place = _made_at(tape, operation)
        if place is not None:
            places.setdefault(place, []).append(str(operation.type))
    return places


def _note(tape: Tape, grown: dict[Place, list[str]], seconds: float) -> None:
    for place, kinds in grown.items():
        tape.note(NAME, place, seconds=seconds / len(grown))
        detail = tape.detail(NAME, place)
        detail["nodes"] = detail.get("nodes", 0) + len(kinds)
        detail["operations"] = sorted({*detail.get("operations", ()), *kinds})[:6]


def _made_at(tape: Tape, operation: Any) -> Place | None:
    """The user's line that made a node: the innermost of its traceback."""
    for entry in reversed(operation.traceback):
        path = tape.code.path_of(entry.filename)
        if path:
            return Place(path, entry.lineno, entry.name)
    return None


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that added nodes before run after run."""
    runs = trace.steps.get(SESSION_RUNS, 0)
    for seen in trace.observations:
        if seen.kind != NAME or seen.count < GROWING_RUNS:
            continue
        nodes = seen.detail.get("nodes", 0)
        operations = ", ".join(seen.detail.get("operations", ()))
        yield told_at(
            seen,
            signal=NAME,
            cause="graph-confusion",
            message="keeps adding nodes to the graph that a session runs",
            evidence=f"{nodes:,} nodes ({operations}) before {seen.count:,} of {runs:,} runs",
            remedy=(
                "create the operation once, before the loop, on a placeholder, and feed the value "
                "in every iteration"
            ),
            share=min(
                1.0, share_of_seconds(trace, seen.seconds) + share_of(trace, seen.file, seen.line)
            ),
            rule="graph-growth",
        )
