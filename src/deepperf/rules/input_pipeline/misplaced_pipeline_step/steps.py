"""The steps of a pipeline, from its end to its start, and what their functions do."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.query import Call, Function, Kind, Value

_DEEPEST = 3
"""Functions that only hand their arguments on, inside of each other, that are followed."""


def before(call: Call, wanted: Trait, unlike: tuple[Trait, ...]) -> Call | None:
    """The nearest step of one kind before a step, if on no way there is one of another kind."""
    pending, seen, found = [call], {call}, None
    while pending:
        for step in _steps_before(pending.pop()):
            if step in seen:
                continue
            seen.add(step)
            if step.has(*unlike):
                return None
            if step.has(wanted):
                found = found or step
            else:
                pending.append(step)
    return found


def _steps_before(call: Call) -> Iterator[Call]:
    """The steps whose result a step is called on, also of functions that give a pipeline."""
    pending = [call.receiver] if call.receiver is not None else []
    seen = set(pending)
    while pending:
        for maker in pending.pop().makers:
            if not maker.runs:
                yield maker
            for function in maker.runs:
                results = [value.operands[0] for value in function.values(Kind.RETURN)]
                pending += [result for result in results if result not in seen]
                seen.update(results)


def reached(mapping: Call, traits: tuple[Trait, ...]) -> Function | None:
    """The function that a step maps with, if it reads or decodes a sample in any case."""
    given = mapping.in_role(ParameterRole.FUNCTION)
    for function in given.functions if given is not None else ():
        ways = [way for trait in traits if (way := function.reaches(trait)) is not None]
        if any(not way.seldom for way in ways):
            return function
    return None


def used(predicate: Function, depth: int = 0) -> set[int]:
    """The positions of the parameters that a function, or one that it hands them to, uses."""
    found = set()
    for number, parameter in enumerate(predicate.parameters):
        for user in parameter.users:
            handed = _handed(user, parameter)
            if handed is None or depth > _DEEPEST or handed[1] in used(handed[0], depth + 1):
                found.add(number)
    return found


def kept(function: Function, depth: int = 0) -> set[int]:
    """The positions at which a function gives back what it is given there, on every way."""
    results = [value.operands[0] for value in function.values(Kind.RETURN)]
    found = [set(_same(function.parameters, result, depth)) for result in results]
    return set.intersection(*found) if found else set()


def _same(parameters: tuple[Value, ...], result: Value, depth: int) -> Iterator[int]:
    call = result.call
    if call is not None and len(call.runs) == 1 and depth < _DEEPEST:
        inner = kept(call.runs[0], depth + 1)
        for number, (parameter, given) in enumerate(zip(parameters, call.arguments, strict=False)):
            if number in inner and parameter == given:
                yield number
    elif result.kind is Kind.TUPLE:
        for number, (parameter, given) in enumerate(zip(parameters, result.operands, strict=False)):
            if parameter == given:
                yield number


def _handed(user: Value, parameter: Value) -> tuple[Function, int] | None:
    """The function of the project that a parameter is handed to, and at which position."""
    call = user.call
    if call is None or len(call.runs) != 1 or parameter not in call.arguments or call.keywords:
        return None
    return call.runs[0], call.arguments.index(parameter)
