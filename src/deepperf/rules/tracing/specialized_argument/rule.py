"""Compiled code is made for one value of an argument, and each call passes another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.guard_rails import says_recompilations
from deepperf.rules.rule import Rule, each_file
from deepperf.rules.tracing.specialized_argument.uses import tells_work
from deepperf.semantics.query import (
    Call,
    Compilation,
    Cost,
    Dependence,
    File,
    Function,
    Iteration,
    Loop,
    Value,
    share,
)

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
)

LIMIT = 8
"""Compilations of one function after which `torch.compile` runs it uncompiled."""


class Special(NamedTuple):
    """An argument for each value of which there is compiled code of its own, and what to do."""

    at: Value
    says: str
    remedy: str


@each_file
def check(file: File) -> Iterator[Finding]:
    if file.is_in_compiling_project:
        for call, loop in file.looped_calls():
            yield from _check(call, loop)


def _check(call: Call, loop: Loop) -> Iterator[Finding]:
    for function in call.runs:
        compiled = function.compiled_itself
        if (
            compiled is None
            or not compiled.has(Trait.BREAKS_GRAPH)
            or not compiled.may_run_in(call)
            or call.function.compilations
            or call.runs_seldom
        ):
            continue
        special = next(_specials(call, function, loop), None)
        if special is not None:
            yield _finding(call, special, compiled)
            return


def _arguments(call: Call, function: Function) -> Iterator[tuple[Value, Value]]:
    """The parameters of a function, and what a call passes for them."""
    bound = 1 if function.is_method else 0
    names = function.parameter_names
    for index, parameter in enumerate(function.parameters[bound:]):
        given = call.argument(names[index + bound], index)
        if given is not None:
            yield parameter, given


def _specials(call: Call, function: Function, loop: Loop) -> Iterator[Special]:
    for parameter, given in _arguments(call, function):
        kind = given.python_type
        changes = given.dependence(loop) is not Dependence.INVARIANT
        if kind == "str" and changes:
            yield Special(given, "a text", "choose by it outside, and pass numbers or tensors")
        elif kind == "int" and changes and (work := tells_work(parameter)):
            yield Special(
                given,
                f"an integer that {work}",
                "compile what one of them does, and call that from a loop outside",
            )
        elif loop.lengthens(given):
            yield Special(
                given,
                f"a {kind} that gets longer",
                "pass one tensor: stack them, pad them to one length, or add up outside",
            )


def _finding(call: Call, special: Special, compiled: Compilation) -> Finding:
    return rule.finding(
        call,
        f"`{compiled.compiler}` compiles `{call.name}` again for each `{special.at.text}`,"
        f" {special.says}, and runs it uncompiled after {LIMIT} of them",
        special.remedy + says_recompilations(call.file, "torch", call.name),
        framework="torch",
        related=(compiled.step(f"`{compiled.text}` compiles it"),),
        estimate=share(Cost.COMPILE, LIMIT, Iteration.RUN),
    )
