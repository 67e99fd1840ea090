"""Calls of what a function has just compiled, and nobody keeps: `self.scorer(member)(x)`."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.query import Call, File, Function, Kind, repeated


def dropped(file: File) -> Iterator[tuple[Call, Call]]:
    """The calls that run again and again, and what compiles a new function for each of them."""
    if not file.is_in_compiling_project:
        return
    for call in file.calls():
        factory = call.callee.call
        if factory is None or not factory.runs or factory.facts:
            continue
        made = [_made_by(function) for function in factory.runs]
        first = made[0]
        if first is None or None in made or call.function.compilations:
            continue
        around = None if call.runs_seldom else repeated(call)
        # A variable may hold it for all iterations; another file's findings are its own.
        is_here = first.location.path == call.location.path
        if is_here and around is not None and around.contains(factory):
            yield call, first


def _made_by(function: Function) -> Call | None:
    """The call that compiles a function of its own, where that is all that it returns."""
    returned = function.returned
    if function.decorators or len(returned) != 1 or returned[0].call is None:
        return None
    call = returned[0].call
    if not call.has(Trait.COMPILES) or call.has(Trait.BREAKS_GRAPH):
        return None  # PyTorch finds the code again
    given = call.in_role(ParameterRole.FUNCTION)
    is_new = given is not None and given.kind is Kind.FUNCTION
    return call if is_new or not call.has(Trait.FINDS_SAME_FUNCTION) else None
