"""Models that are run, and operations that are computed, again and again on the same."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import (
    Call,
    Dependence,
    Function,
    Kind,
    Loop,
    RunAgain,
    Value,
    Written,
)

_PASSING = frozenset((Kind.PART, Kind.ITEM, Kind.TUPLE, Kind.PHI, Kind.CYCLE, Kind.RETURN))
_IN_GRAPHS = (Trait.OPENS_SESSION, Trait.RUNS_SESSION, Trait.DISABLES_EAGER, Trait.ENTERS_GRAPH)


def asked_again(function: Function) -> Iterator[RunAgain]:
    """The runs of models that are worth telling, each once, the outermost of those inside each
    other.
    """
    for run in _outermost(function.runs_again):
        if run.may_differ is False and run.does_work is not False and _is_waste(run):
            yield run


def computed_again(function: Function) -> Iterator[RunAgain]:
    """The operations that are worth telling, of those inside each other the whole."""
    runs = [one for one in _outermost(function.computes_again) if _is_waste(one)]
    for run in runs:
        *way, last = run.calls
        outer = (one.calls[-1] for one in runs if list(one.calls[:-1]) == way)
        is_part = any(call != last and call.encloses(last.result) for call in outer)
        if not is_part and not _makes_node(last):
            yield run


def _outermost(runs: tuple[RunAgain, ...]) -> Iterator[RunAgain]:
    told: set[object] = set()
    for run in sorted(runs, key=lambda one: len(one.calls)):
        ways = [(run.loop, run.calls[: at + 1]) for at in range(len(run.calls))]
        last = (run.loop, run.calls[-1])
        if told.isdisjoint((*ways, last)):
            told |= {ways[-1], last}
            yield run


def _is_waste(run: RunAgain) -> bool:
    first, last = run.calls[0], run.calls[-1]
    is_unrolled = run.loop is None or not run.loop.is_kept_in_graph
    if is_unrolled and (first.function.is_traced or last.function.is_traced):
        return False
    if not _is_read(run.calls):
        return False
    if run.loop is None:
        # Who asks whether a server lives is given nothing, and wants an answer of the model.
        is_served = "request" in first.function.runs_for and not first.function.parameters
        return not (is_served and len(run.calls) == 1) and not first.guard().is_rare
    if first.is_conditional(run.loop) and any(
        run.loop.contains(test) and _may_choose_anew(run.loop, test) for test in first.conditions
    ):
        return False
    if any(
        user.kind is Kind.LOGIC and user.operands[0] != first.result for user in first.result.users
    ):
        return False  # `found or compute()`
    # Answers that each iteration keeps in a place of its own are samples of the model.
    if {user.kind for user in first.result.users} == {Kind.SET_ITEM}:
        return False
    if run.loop.is_while and not (run.loop.carried or run.loop.exits):
        return False  # what others change, until they end the loop
    return not (run.loop.is_short or first.guard(run.loop).is_rare or _measures(run.loop, first))


def _may_choose_anew(loop: Loop, test: Value) -> bool:
    if test.dependence(loop) is not Dependence.INVARIANT:
        return True
    return any(loop.writes_to(part) is not Written.NOT for part in (test, *test.operands))


def _makes_node(call: Call) -> bool:
    """Whether an operation of TensorFlow may become a node of a graph, which sessions run."""
    if not call.has(Trait.ADDS_NODE):
        return False
    return not call.file.admits("tensorflow", since="2.0") or call.file.mentions_any(*_IN_GRAPHS)


def _is_read(calls: tuple[Call, ...]) -> bool:
    """Whether anything is done with what a run gives: some call a model to warm it up."""
    for call in reversed(calls):
        pending = [call.result]
        for value in pending:  # which grows
            pending += [user for user in value.users if user not in pending]
        kinds = {value.kind for value in pending[1:]}
        if kinds - _PASSING:
            return True
        if Kind.RETURN not in kinds:
            return False
    return False


def _measures(loop: Loop, run: Call) -> bool:
    """Whether all iterations do the same, to see how long that takes."""
    given = [*loop.carried, *([loop.element] if loop.element is not None else ())]
    if any(
        user.kind is not Kind.CYCLE and loop.contains(user) for one in given for user in one.users
    ):
        return False
    return loop.only_computes is True or all(call == run for call in loop.calls())
