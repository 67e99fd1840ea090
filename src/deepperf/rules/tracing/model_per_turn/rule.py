"""A whole model is loaded or built again in each iteration of a loop or for each request."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.imports import keep_results
from deepperf.fixes.statements import hoist
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Fix, Level, Role, Safety
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.query import Call, Dependence, Kind, Loop, Value, Written
from deepperf.semantics.view import FileView, LoopPath, RemadeModel

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("memory-leak", "slow-execution", "increasing-time"),
    stage="prediction",
    level=Level.WARNING,
    frameworks=("keras", "torch", "transformers"),
)
_KEEPS = frozenset((Kind.SET_ATTRIBUTE, Kind.SET_ITEM, Kind.LIST, Kind.DICT))
ONCE = "load it once, before the loop or when the program starts, and reuse it"
KEPT = "cache loaded models: put `functools.lru_cache` on a function that loads by name"
CLEARED = (
    "call `keras.backend.clear_session()` at the start of every iteration, once the earlier models "
    "are no longer needed; or give each model its own graph or process"
)


@on_file
def check(file: FileView) -> Iterator[Finding]:
    # A test wants a model of its own.
    if file.role is Role.TEST:
        return
    for call in file.remade_models():
        path = call.path
        if isinstance(path, LoopPath):
            if path.is_of_tests:
                continue
            when = f"in {path.loop.turn}"
        else:
            when = f"for each request to `{path.handler.name}`"
        remedy = ONCE
        if call.is_same:
            message = f"`{call.called}` loads the same model again {when}"
        elif call.is_named_by_request:
            message = f"`{call.called}` loads the named model again, {when}"
            remedy = KEPT
        else:
            remedy = CLEARED
            message = (
                f"`{call.called}` builds a model {when}, and Keras keeps the graphs of all of them"
            )
        is_sure = call.is_sure and not _is_chosen(call)
        level = None if is_sure else Level.NOTE
        yield rule.finding(call, message, remedy, path.steps(), fix=_fix(call), level=level)


def _is_chosen(call: RemadeModel) -> bool:
    """Whether an iteration decides by itself whether it loads, or whatever loads is not known.

    What another process runs, for one, loads a model of its own.
    """
    if not isinstance(call.path, LoopPath):
        return False
    first = call.path.calls[0] if call.path.calls else call
    at = first.file.queried.call_at(first.span)
    if at is None or not at.loops:
        return False
    if at.runs and at.callee.is_unknown:
        return True
    loop = at.loops[0]
    if _fills_another(call, at):
        return True
    return any(
        loop.contains(test) and test.dependence(loop) is not Dependence.INVARIANT
        for test in at.conditions
    )


def _fills_another(call: RemadeModel, at: Call) -> bool:
    """Whether what is loaded becomes the weights of another model in each iteration: of few."""
    load = call.file.queried.call_at(call.span)
    loop = at.loops[0]
    is_given_one = any(_is_made_in(one, loop) for one in at.arguments)
    for taker in load.function.calls() if load is not None else ():
        filled = taker.receiver
        if filled is None or not taker.may_have(Trait.TAKES_STATE):
            continue
        if loop.contains(taker):
            if _is_made_in(filled, loop):
                return True
        elif is_given_one and filled.kind is Kind.PARAMETER:
            return True
    return False


def _is_made_in(value: Value, loop: Loop) -> bool:
    return value.call is not None and loop.contains(value)


def _fix(call: RemadeModel) -> Fix | None:
    path = call.path
    if not call.is_same:
        return None
    if isinstance(path, LoopPath) and not path.calls:
        edits = hoist(call.file.text, *call.span, path.loop.span[0])
        # What a model keeps in one iteration, the next one finds.
        return Fix("load it before the loop", edits, Safety.UNSAFE) if edits else None
    edits = None if _is_held(call) else keep_results(call.file.text, *call.span)
    return Fix("keep what was loaded", edits, Safety.UNSAFE) if edits else None


def _is_held(call: RemadeModel) -> bool:
    """Whether each of those who load it is to have one of its own: to keep, to change, or to fill
    a model that is built as often.
    """
    load = call.file.queried.call_at(call.span)
    if load is None or load.function.writes_to(load.result) is Written.WRITTEN:
        return True
    fills_new = any(
        taker.may_have(Trait.TAKES_STATE) and taker.receiver is not None and taker.receiver.call
        for taker in load.function.calls()
    )
    return fills_new or any(user.kind in _KEEPS for user in load.result.users)
