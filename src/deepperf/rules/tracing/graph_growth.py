"""Nodes are added to a graph in a loop that runs a session."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import Call, Certainty, FileView, LoopOver, LoopPath

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("increasing-time", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "keras"),
)
MANY = 6
"""Places in the turns of one loop above which the first speaks for all."""


@on_file
def check(file: FileView) -> Iterator[Finding]:
    # The graph of a test ends with it.
    if file.role is Role.TEST or not file.may_concern_graphs:
        return
    for call in (*file.repeatable_calls(frozenset((Trait.ADDS_NODE,))), *file.layer_calls()):
        path = _growing(call)
        # One finding per statement is enough to know what to move.
        if path is None or not call.is_first_to_add_nodes:
            continue
        others = _others(call, path)
        if others is None:
            continue
        more = f", and so do {others} more places" if others else ""
        yield rule.finding(
            call,
            f"`{call.called}` adds nodes to the graph in each turn of `{path.loop.header}`, "
            f"which runs a session{more}",
            _remedy(call),
            path.steps(),
            level=_level(call, path),
        )


def _level(call: Call, path: LoopPath) -> Level:
    """How fast the graph grows: hardly, where a turn is awaited or one certain turn adds to it."""
    is_once = any(step.is_for_one_turn for step in (call, *path.calls))
    return Level.NOTE if is_once or path.loop.waits else rule.level


def _gets_or_makes(call: Call) -> bool:
    """Whether it only adds nodes the first time, by name."""
    return call.has(Trait.CREATES_VARIABLE) and call.has(Trait.READS_STATE)


def _growing(call: Call) -> LoopPath | None:
    """The nearest loop whose turns run a session and add the nodes to one lasting graph."""
    if (call.function is None and not call.loops) or _gets_or_makes(call):
        return None
    for path in call.repeats():
        if path.loop.file.role is Role.TEST:
            continue
        # Few turns: a literal count, or the parts of something.
        if path.loop.is_tiny or path.loop.over is LoopOver.PARTS:
            continue
        if not path.loop.runs_session or _sets_another_each_turn(call, path):
            continue
        # With a graph of its own, each turn starts small again; loops further out do, too.
        if path.loop.starts_graph:
            return None
        # Tracing builds graphs of its own; Python run by the runtime is eager.
        if call.function is not None and call.function.runs_apart:
            return None
        # A loop that builds a model may run parts of it, to initialize others.
        if path.loop.builds_model and not (call.is_run_at_once or _trains(path)):
            return None
        return path
    return None


def _trains(path: LoopPath) -> bool:
    """Whether the turns are those of a training, in which no model is built part by part."""
    return path.loop.over in (LoopOver.EPOCHS, LoopOver.BATCHES)


def _sets_another_each_turn(call: Call, path: LoopPath) -> bool:
    """Whether each turn assigns to a variable of its own: the graph has as many, and no more."""
    target = call.receiver or next(iter(call.arguments), None)
    if path.calls or target is None:
        return False
    if not call.has(Trait.WRITES_STATE) or call.has(Trait.COMPUTES):
        return False
    between = [loop for loop in call.loops if path.loop in loop.outer]
    if not between:
        return target.same_object_in(path.loop) is Certainty.NO
    # A loop in between goes over variables: the same in each turn, or others.
    return all(part.same_object_in(path.loop) is Certainty.NO for part in between[0].goes_over)


def _others(call: Call, path: LoopPath) -> int | None:
    """How many further places this one speaks for; None when an earlier one does."""
    reached = path.loop.reached_calls(frozenset((Trait.ADDS_NODE,)))
    places = {(c.file.path, c.statement_span): c for c in reversed(reached)}
    if len(places) <= MANY:
        return 0
    growing = [
        place
        for place, c in reversed(places.items())
        if (found := _growing(c)) is not None and found.loop == path.loop
    ]
    if len(growing) <= MANY:
        return 0
    own = (call.file.path, call.statement_span)
    return len(growing) - 1 if own == growing[0] else None


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
