"""Compiled code is kept for one object or function, and each iteration passes another one."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_file
from deepperf.semantics.query import (
    Call,
    Compilation,
    Cost,
    File,
    Function,
    Iteration,
    Kind,
    Repeated,
    Value,
    repeated,
    share,
)

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "jax"),
)


@each_file
def check(file: File) -> Iterator[Finding]:
    if file.is_in_compiling_project:
        for call in file.calls():
            yield from _check(call)


def _check(call: Call) -> Iterator[Finding]:
    for function in call.runs:
        compiled = function.compiled_itself
        if compiled is None or compiled.has(Trait.BREAKS_GRAPH) or call.function.compilations:
            continue
        around = None if call.runs_seldom else repeated(call)
        if around is None:
            return
        fresh = _fresh(call, function, compiled, around)
        if fresh is not None:
            # How often a function runs is less sure than that a loop goes on.
            level = rule.level if around.loop is not None else Level.NOTE
            yield _finding(call, fresh, compiled, level)
            return


def _fresh(call: Call, function: Function, compiled: Compilation, around: Repeated) -> Value | None:
    """The object or function, new in each iteration, that compiled code is found by."""
    is_tensorflow = compiled.framework == "tensorflow"
    statics = compiled.option(ParameterRole.STATIC)
    owner = call.receiver or call.callee
    if function.is_method and (is_tensorflow or _names_self(statics, function)):
        # Where another loop calls an object again and again, compiling it pays.
        is_innermost = next(iter(call.loops), None) == around.loop
        return owner if is_innermost and _is_made_in(owner, around) else None
    given = call.arguments if is_tensorflow else _static(call, function, statics)
    return next((one for one in given if one.kind is Kind.FUNCTION and around.contains(one)), None)


def _static(call: Call, function: Function, statics: Value | None) -> tuple[Value, ...]:
    """What a call passes for the static parameters of a function."""
    bound = 1 if function.is_method else 0
    names = function.parameter_names
    numbers = [
        index
        for index, name in enumerate(names)
        if statics is not None and any(one.constant in (index, name) for one in _listed(statics))
    ]
    found = (call.argument(names[index], index - bound) for index in numbers if index >= bound)
    return tuple([one for one in found if one is not None])


def _listed(statics: Value) -> tuple[Value, ...]:
    return statics.operands if statics.kind in (Kind.TUPLE, Kind.LIST) else (statics,)


def _names_self(statics: Value | None, function: Function) -> bool:
    """Whether the first parameter, the object of a method, is among the static arguments."""
    if statics is None:
        return False
    return any(one.constant in (0, *function.parameter_names[:1]) for one in _listed(statics))


def _is_made_in(value: Value, around: Repeated) -> bool:
    """Whether an object of a class of the project is made each time."""
    is_carried = around.loop is not None and value in around.loop.carried
    makers = value.operands[1].makers if is_carried else value.makers
    if not makers or value.methods("__hash__"):
        return False  # equal objects may share what is compiled
    return all(around.contains(maker) and _makes_object(maker) for maker in makers)


def _makes_object(maker: Call) -> bool:
    """Whether it makes an object, or a method gives a copy of its own with other values."""
    if any(run.name == "__init__" for run in maker.runs) or _copies(maker):
        return True
    returned = [value for run in maker.runs for value in run.returned]
    return bool(returned) and all(one.call is not None and _copies(one.call) for one in returned)


def _copies(call: Call) -> bool:
    """Whether it copies an object with values that are computed."""
    given = [call.argument(name) for name in call.keywords]
    is_computed = any(one is not None and one.kind is Kind.BINARY for one in given)
    return is_computed and call.copies_record


def _finding(call: Call, fresh: Value, compiled: Compilation, level: Level) -> Finding:
    is_function = fresh.kind is Kind.FUNCTION
    kind = "function" if is_function else "object"
    again = "traces" if compiled.framework == "tensorflow" else "compiles"
    return rule.finding(
        call,
        f"`{compiled.compiler}` {again} `{call.name}` again each time, since `{fresh.text}` is a"
        f" new {kind}",
        "define the function once, outside of the loop"
        if is_function
        else "compile a function that takes what the object holds as arguments",
        framework=compiled.framework,
        related=(compiled.step(f"`{compiled.text}` compiles it"),),
        level=level,
        estimate=share(Cost.COMPILE, 8, Iteration.RUN),
    )
