"""A compiled function reads a large array from around it, which becomes a part of what it is."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call, each_function
from deepperf.semantics.query import Call, Compilation, Function, Kind, Value

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "out-of-memory"),
    stage="training",
    level=Level.NOTE,
    frameworks=("jax",),
)

LARGE = 1_000_000
"""Numbers from which copying an array, and computing with it while compiling, is felt."""
_STEPS = 3
_PARTIAL = "functools.partial"


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function:
        return
    compiled = next((one for one in function.compilations if not one.has(Trait.BREAKS_GRAPH)), None)
    if compiled is None or compiled.framework != "jax":
        return
    told: set[str] = set()
    for read in function.values(Kind.NAME, Kind.ATTRIBUTE):
        if read.data in told or (read.kind is Kind.ATTRIBUTE and not _is_kept(read, function)):
            continue
        made = _large(read)
        if made is not None and not _is_only_looked_at(read):
            told.add(read.data)
            yield _finding(read, made, compiled, read.text)


@each_call(Trait.COMPILES)
def check_bound(call: Call) -> Iterator[Finding]:
    """Arrays that `partial` binds to what is compiled."""
    given = call.in_role(ParameterRole.FUNCTION)
    bound = given.call if given is not None else None
    if call.framework != "jax" or bound is None or _PARTIAL not in bound.callee.names:
        return
    for argument in bound.arguments[1:]:
        made = _large(argument)
        if made is not None:
            yield _finding(bound, made, call, argument.variable or argument.text)


def _is_kept(read: Value, function: Function) -> bool:
    """Whether an object holds it whose method is compiled, the object being no argument."""
    compiled = function.compiled_itself
    if compiled is None or not function.is_method or read.operands[0] != function.parameters[0]:
        return False
    # What is passed a bound method sees its object as a constant; a decorator sees an argument.
    call = Call(compiled.program, compiled.place) if compiled.op.kind is Kind.CALL else None
    passed = call.in_role(ParameterRole.FUNCTION) if call is not None else None
    if passed is not None:
        return passed.kind is Kind.ATTRIBUTE
    return compiled.option(ParameterRole.STATIC) is not None


def _large(read: Value) -> Call | None:
    """The call that gives a large array, where a variable holds one and nothing else."""
    makers = read.makers
    found = [made for made in makers if _is_large(made, _STEPS)]
    return found[0] if found and len(found) == len(makers) else None


def _is_large(made: Call, steps: int) -> bool:
    if made.has(Trait.LOADS_ARRAY):
        return True
    shape = made.in_role(ParameterRole.SHAPE)
    if shape is not None and _size(shape) >= LARGE:
        return True
    if steps and made.runs:
        inner = [one for run in made.runs for value in run.returned for one in value.makers]
        return bool(inner) and all(_is_large(one, steps - 1) for one in inner)
    if steps and made.has(Trait.CONVERTS, Trait.MAKES_TENSOR, Trait.CASTS, Trait.CREATES_ARRAY):
        first = made.arguments[:1] or ((made.receiver,) if made.receiver is not None else ())
        inner = [one for value in first for one in value.makers]
        return bool(inner) and all(_is_large(one, steps - 1) for one in inner)
    return False


def _size(shape: Value) -> int:
    if shape.kind in (Kind.TUPLE, Kind.LIST):
        return math.prod(side.integer or 0 for side in shape.operands)
    return shape.integer or 0


def _is_only_looked_at(read: Value) -> bool:
    """Whether nothing but its shape or type is read."""
    users = read.users
    return bool(users) and all(
        user.kind is Kind.ATTRIBUTE and user.data in ("shape", "dtype", "ndim", "size")
        for user in users
    )


def _finding(read: Value | Call, made: Call, compiled: Compilation | Call, name: str) -> Finding:
    calls = compiled.calls if isinstance(compiled, Compilation) else ()
    compiler = compiled.name if isinstance(compiled, Call) else compiled.compiler
    path = [call.step(f"`{call.name}` is called") for call in calls]
    return rule.finding(
        read,
        f"`{name}` becomes a constant of what `{compiler}` compiles: each version"
        " copies it, and what is computed from it alone is computed while compiling",
        f"pass `{name}` as an argument",
        path=(*path, read.step(f"`{read.text}` is read")) if path else (),
        framework="jax",
        related=(
            made.step(f"`{made.text}` makes it"),
            compiled.step(f"`{compiled.text}` compiles it"),
        ),
        estimate=0.05,
    )
