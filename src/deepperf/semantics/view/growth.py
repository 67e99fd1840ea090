"""Nodes that turns add to a graph which outlives them, as rules see them."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.execution import own_variables
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.view.call import Call
from deepperf.semantics.view.path import LoopPath

_MANY = 6
"""Places, or functions with such places, above which the first speaks for others."""
_TRAINING = (LoopOver.EPOCHS, LoopOver.BATCHES)
"""Turns in which no model is built part by part."""


def growing_path(call: Call) -> LoopPath | None:
    """The nearest loop whose iterations run a session and add the nodes to one lasting graph."""
    # By name it only adds nodes the first time.
    gets_or_makes = call.has(Trait.CREATES_VARIABLE) and call.has(Trait.READS_STATE)
    if (call.function is None and not call.loops) or gets_or_makes:
        return None
    for path in call.repeats_or_serves():
        if path.is_of_tests:
            continue
        is_small = path.loop.is_tiny or path.loop.over is LoopOver.PARTS
        if is_small or not path.runs_session_for(call) or _sets_another(call, path):
            continue
        # With a graph of its own, each iteration starts small again; loops further out do, too.
        if path.loop.starts_graph or path.loop.turns_closed_graph:
            return None
        # Tracing builds graphs of its own; Python run by the runtime is eager.
        if call.function is not None and call.function.runs_apart:
            return None
        if call.is_eager_beside(path):
            return None
        # What each of some agents needs of its own is made once for each, where they are counted.
        is_counted = path.loop.over not in _TRAINING and not path.loop.is_open
        if is_counted and path.keeps_objects:
            continue
        # A loop that builds a model may run parts of it, to initialize others; one that trains
        # further out, or feeds what is built, does not.
        is_training = path.loop.over in _TRAINING or path.loop.feeds_model
        if path.loop.builds_model and not (call.is_run_at_once or is_training):
            continue
        return path
    return None


def _sets_another(call: Call, path: LoopPath) -> bool:
    """Whether each iteration sets a variable of its own: the graph has no more than these."""
    way = (*(one._site for one in path.calls), call._site)
    if path.calls:
        return own_variables.are_handed_by_turn(call._analysis, way, path.loop._frame)
    target = call.receiver or next(iter(call.arguments), None)
    if target is None or not call.has(Trait.WRITES_STATE) or call.has(Trait.COMPUTES):
        return False
    if own_variables.are_named_by_turn(call._analysis, call._site, path.loop._frame):
        return True
    between = [loop for loop in call.loops if path.loop in loop.outer]
    # A loop in between goes over variables: the same in each iteration, or others.
    parts = between[0].goes_over if between else (target,)
    return all(part.same_object_in(path.loop) is Certainty.NO for part in parts)


def others_beside(call: Call, path: LoopPath) -> int | None:
    """How many further places, of its function mostly, it speaks for; None if another does."""
    reached = path.loop.reached_calls(frozenset((Trait.ADDS_NODE,)))
    places = {(c.file.path, c.statement_span): c for c in reversed(reached)}
    if len(places) <= _MANY:
        return 0
    all_places = reversed(places.items())
    grow = {p: c.function for p, c in all_places if (f := growing_path(c)) and f.loop == path.loop}
    if len(grow) <= _MANY:
        return 0
    is_crowd = len(set(grow.values())) > _MANY
    beside = [place for place, function in grow.items() if is_crowd or function == call.function]
    is_first = (call.file.path, call.statement_span) == beside[0]
    return len(beside) - 1 if is_first else None
