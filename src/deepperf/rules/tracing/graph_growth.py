"""Nodes are added to a graph in a loop that runs a session."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_call, on_file
from deepperf.semantics.view import Call, FileView, LoopPath

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("increasing-time", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "keras"),
)
MANY = 5
"""Statements that add nodes above which only the first of a place is reported."""


@on_call(Trait.ADDS_NODE)
def check_operation(call: Call) -> Iterator[Finding]:
    yield from _judge(call)


@on_file
def check_layers(file: FileView) -> Iterator[Finding]:
    for call in file.layer_calls():
        yield from _judge(call)


def _judge(call: Call) -> Iterator[Finding]:
    if call.function is None and not call.loops:
        return
    if _gets_or_makes(call):
        return
    path = _growing(call)
    # One finding per statement is enough to know what to move.
    if path is None or not call.is_first_to_add_nodes:
        return
    # Tracing builds graphs of its own; Python run by the runtime is eager.
    if call.function is not None and call.function.runs_apart:
        return
    others = _others(call, path)
    if others is None:
        return
    more = f", and so do {others} more statements here" if others else ""
    yield rule.finding(
        call,
        f"`{call.called}` adds nodes to the graph in each turn of `{path.loop.header}`, "
        f"which runs a session{more}",
        _remedy(call),
        path.steps(),
    )


def _gets_or_makes(call: Call) -> bool:
    """Whether it only adds nodes the first time, by name."""
    return call.has(Trait.CREATES_VARIABLE) and call.has(Trait.READS_STATE)


def _growing(call: Call) -> LoopPath | None:
    """The nearest loop whose turns run a session and add the nodes to one lasting graph."""
    for path in call.repeats():
        # A test that loops over the user's function says nothing about the function.
        if path.loop.file.role is Role.TEST and call.file.role is not Role.TEST:
            continue
        if path.loop.is_tiny or not path.loop.runs_session:
            continue
        # With a graph of its own, each turn starts small again; loops further out do, too.
        return None if path.loop.starts_graph else path
    return None


def _others(call: Call, path: LoopPath) -> int | None:
    """How many further statements to speak for; None when an earlier one speaks for this."""
    around = call.function.calls if path.calls and call.function else path.loop.calls()
    adding = [c for c in around if c.adds_nodes and not _gets_or_makes(c)]
    statements = sorted({c.statement_span for c in adding})
    if len(statements) <= MANY:
        return 0
    return len(statements) - 1 if call.statement_span == statements[0] else None


def _remedy(call: Call) -> str:
    if call.has(Trait.WRITES_STATE) and call.arguments:
        return (
            "make the operation once, before the loop, on a placeholder, and feed the new "
            "value when it is run"
        )
    if not call.arguments:
        return "make it once, before the loop, and run or use that one in each turn"
    return (
        "make it once, before the loop, on a placeholder, and feed the turn's value when it "
        "is run; or compute the value with NumPy"
    )
