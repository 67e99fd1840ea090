"""A checkpoint is loaded onto the device, beside the model that its weights are copied into."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Function, Kind, Value

rule = Rule(
    module=__name__,
    cause="inefficient-data-transmission",
    symptoms=("out-of-memory", "abnormal-gpu-memory"),
    stage="initialization",
    level=Level.NOTE,
    frameworks=("torch",),
)

_PARTS = frozenset((Kind.PHI, Kind.CYCLE, Kind.ITEM))
_USES = (Trait.RUNS_MODULE, Trait.RUNS_MODEL, Trait.TRAINS, Trait.BACKPROPAGATES)
_MOST = 64
"""Functions that are looked at for one that loads."""
_MANY = (Trait.JOINS_PROCESSES, Trait.JOINS_GROUP)


@each_call(Trait.RESTORES_DEVICE)
def check(call: Call) -> Iterator[Finding]:
    told = call.all_in_role(ParameterRole.DEVICE) or call.all_in_role(ParameterRole.MAPPED)
    if told or call.passes_unseen or not call.file.uses_accelerator:
        return
    taken = list(_taken(call))
    if not taken:
        return
    if _is_kept(call, [one.receiver for one in taken]):
        what = f"`{call.name}` keeps a second copy of the weights on the device"
    elif _is_run_by_many(call.function):
        what = "each process puts the checkpoint on the device that it was saved from"
    else:
        return
    place = next(
        one.name
        for fact in call.facts
        for one in fact.parameters
        if one.role is ParameterRole.DEVICE
    )
    edit = add_keyword(call.file_text, *call.span, place, '"cpu"')
    yield rule.finding(
        call,
        f"{what}: `{taken[0].name}` copies them from there",
        f'pass `{place}="cpu"`: the weights are copied to the device of the model anyway',
        related=tuple([one.step("copied from there here") for one in taken]),
        fix=Fix(f"pass `{place}`", (edit,), Safety.UNSAFE) if edit else None,
        estimate=0.005,
    )


def _taken(call: Call) -> Iterator[Call]:
    """The calls that copy what is loaded, or a part of it, into models and optimizers."""
    pending: list[Value] = [call.result]
    seen = {call.result}
    while pending:
        for user in pending.pop(0).users:
            if user.call is not None and _takes_state(user.call):
                yield user.call
            elif user.kind in _PARTS and user not in seen:
                seen.add(user)
                pending.append(user)


def _takes_state(call: Call) -> bool:
    return call.has(Trait.TAKES_STATE) or call.is_named_as(Trait.TAKES_STATE)


def _is_kept(call: Call, models: list[Value | None]) -> bool:
    """Whether its function, which has a variable of it, goes on and uses models. What loads a
    model for others gives it back.
    """
    if not call.result.variable:
        return False
    later = [one for one in call.function.calls() if one.span > call.span]
    if any(one.callee in models or one.way_to(*_USES) for one in later):
        return True
    given_back = [value.operands[0] for value in call.function.values(Kind.RETURN)]
    passed = [one for one in later if not one.has(Trait.SAVES)]
    taken = [one for one in passed if any(given in models for given in one.arguments)]
    is_helper = any(value in models or value.call in taken for value in given_back)
    return bool(taken) and not is_helper


def _is_run_by_many(function: Function) -> bool:
    """Whether what leads to a function has its process join others."""
    pending, seen = [function], {function}
    while pending and len(seen) < _MOST:
        one = pending.pop()
        if any(one.reaches(trait) for trait in _MANY):
            return True
        new = {call.function for call in one.callers()} - seen
        seen |= new
        pending += new
    return False
