"""Models that are run again and again on the same, though nothing trains them."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.semantics.query import Call, Dependence, Function, Kind, Loop, RunAgain

_PASSING = frozenset((Kind.PART, Kind.ITEM, Kind.TUPLE, Kind.PHI, Kind.CYCLE, Kind.RETURN))


def asked_again(function: Function) -> Iterator[RunAgain]:
    """The runs that are worth telling, each once, the outermost of those inside each other."""
    told: set[object] = set()
    for run in sorted(function.runs_again, key=lambda one: len(one.calls)):
        ways = [(run.loop, run.calls[: at + 1]) for at in range(len(run.calls))]
        last = (run.loop, run.calls[-1])
        if told.isdisjoint((*ways, last)) and _is_waste(run):
            told |= {ways[-1], last}
            yield run


def _is_waste(run: RunAgain) -> bool:
    first, last = run.calls[0], run.calls[-1]
    if first.function.is_traced or last.function.is_traced:
        return False
    if run.may_differ is not False or run.does_work is False or not _is_read(run.calls):
        return False
    if run.loop is None:
        # Who asks whether a server lives is given nothing, and wants an answer of the model.
        is_served = "request" in first.function.runs_for and not first.function.parameters
        return not (is_served and len(run.calls) == 1) and not first.guard().is_rare
    if first.is_conditional(run.loop) and any(
        run.loop.contains(test) and test.dependence(run.loop) is not Dependence.INVARIANT
        for test in first.conditions
    ):
        return False
    # Answers that each iteration keeps in a place of its own are samples of the model.
    if {user.kind for user in first.result.users} == {Kind.SET_ITEM}:
        return False
    return not (run.loop.is_short or first.guard(run.loop).is_rare or _measures(run.loop, first))


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
