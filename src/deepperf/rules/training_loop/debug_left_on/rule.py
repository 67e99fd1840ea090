"""A switch for debugging is on in a program that trains or serves."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import remove_keyword
from deepperf.fixes.statements import delete_statement
from deepperf.knowledge.schema import Fact, Parameter, ParameterRole, Trait
from deepperf.records import Edit, Finding, Fix, Level, Role, Safety
from deepperf.rules.rule import Rule, each_call, each_function
from deepperf.semantics.query import Call, File, Function, Kind, Value

rule = Rule(
    module=__name__,
    cause="improper-configuration",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch", "tensorflow", "keras", "jax"),
)
_ON = (True, 1, "1", "true", "True")
_REMEDY = "take it out, or put it behind an option that is off unless somebody asks for it"


@each_call(Trait.SWITCHES_DEBUG)
def check_call(call: Call) -> Iterator[Finding]:
    if _is_tested(call) or _is_asked_for(call):
        return
    facts = [fact for fact in call.facts if Trait.SWITCHES_DEBUG in fact.traits]
    switches = {p.role: p for fact in facts for p in fact.parameters}
    switch, option = switches.get(ParameterRole.DEBUG), switches.get(ParameterRole.OPTION)
    given = {p: call.argument(p.name, p.position) for p in (switch, option) if p is not None}
    if call.passes_unseen and None in given.values():
        return
    if switch is not None and not _is_on(switch, given[switch]):
        return
    if option is not None and not _is_among(option, given[option]):
        return
    if switch is not None and switch.default == "False":
        # The call does more than that.
        edit = remove_keyword(call.file_text, *call.span, switch.name)
        yield from _found(call, f"{switch.name}=True", facts, edit, Level.WARNING)
    else:
        yield from _found(call, call.text, facts, delete_statement(call.file_text, *call.span))


@each_function
def check_items(function: Function) -> Iterator[Finding]:
    for item in function.values(Kind.SET_ITEM):
        if _is_tested(item):
            return
        owner, key, value = item.operands
        for fact in owner.members("__setitem__"):
            roles = {p.role: p for p in fact.parameters}
            if (
                _is_among(roles[ParameterRole.OPTION], key)
                and _is_on(roles[ParameterRole.DEBUG], value)
                and not _is_asked_for(item)
            ):
                edit = delete_statement(item.file_text, *item.span)
                yield from _found(item, str(key.constant), [fact], edit)


_WORKS = (
    Trait.BACKPROPAGATES,
    Trait.STEPS_OPTIMIZER,
    Trait.STEPS_TRAINING,
    Trait.FITS,
    Trait.TRAINS,
    Trait.EVALUATES,
    Trait.DIFFERENTIATES,
    Trait.HANDLES_REQUEST,
    Trait.GENERATES,
    Trait.INFERS,
)


def _runs_long(file: File) -> bool:
    """Whether anything is seen that the switch slows down for long: a program without a loop, which
    only converts a model, ends soon.
    """
    if file.is_imported or any(not loop.is_comprehension for loop in file.loops()):
        return True
    named = (one for one in file.functions() if one.is_function and one.name.isidentifier())
    if any(not one.callers() for one in named):
        return True  # somebody else runs it, who knows how often
    return any(call.way_to(*_WORKS) for call in file.calls())


def _is_tested(at: Call | Value) -> bool:
    """Whether a test asks for it, where nothing runs for long."""
    return at.function.file.role is Role.TEST


def _found(
    at: Call | Value,
    what: str,
    facts: list[Fact],
    edit: Edit | None,
    level: Level | None = None,
) -> Iterator[Finding]:
    traits = frozenset[Trait]().union(*(fact.traits for fact in facts))
    is_light = Trait.PRINTS in traits
    if is_light or (level is None and not _runs_long(at.file)):
        level = Level.NOTE
    if is_light:
        does = "has every placement logged"
    elif Trait.FINDS_FAULT in traits:
        does = "has the framework check every operation, in every step"
    else:
        does = "has the framework check, wait for or run each operation by itself, in every step"
    yield rule.finding(
        at,
        f"`{what}` is left on: it {does}",
        _REMEDY,
        fix=Fix("take out the switch for debugging", (edit,), Safety.UNSAFE) if edit else None,
        framework=at.framework,
        level=level,
        estimate=0.005 if is_light else 0.3,
    )


def _is_on(switch: Parameter, value: Value | None) -> bool:
    if value is None:
        return switch.default == "True"
    return value.literal in _ON


def _is_among(option: Parameter, value: Value | None) -> bool:
    return value is not None and value.literal in option.among


def _is_asked_for(at: Call | Value) -> bool:
    """Whether it stands behind a condition, other than on what the machine has."""
    if any(not _is_of_machine(condition) for condition in at.conditions):
        return True
    calls = at.function.callers()
    return bool(calls) and all(
        any(not _is_of_machine(condition) for condition in call.conditions) for call in calls
    )


def _is_of_machine(condition: Value) -> bool:
    call = condition.call
    return call is not None and any(fact.framework != "python" for fact in call.facts)
