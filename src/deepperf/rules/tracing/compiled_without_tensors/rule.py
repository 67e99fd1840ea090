"""A compiled function is passed Python numbers, and computes with nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import undecorate
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import (
    Call,
    Compilation,
    Function,
    Kind,
    Number,
    Value,
    number_of,
)

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.NOTE,
    frameworks=("tensorflow", "jax"),
)

_PLAIN = frozenset(("int", "float", "bool", "str", "NoneType"))
_ONCE = frozenset(("run", "seldom"))
_DEEPEST = 4


@each_function
def check(function: Function) -> Iterator[Finding]:
    compiled = function.compiled_itself if function.is_function else None
    if compiled is None or compiled.has(Trait.BREAKS_GRAPH):
        return
    callers = function.callers()
    # With a signature, or in what is compiled itself, numbers become tensors.
    is_told = compiled.option(ParameterRole.SIGNATURE) is not None
    if is_told or not callers or any(call.function.is_traced for call in callers):
        return
    is_plain = all(_is_plain(one) for call in callers for one in call.arguments)
    if is_plain and not any(call.passes_unseen for call in callers) and _stays_python(function, 0):
        yield _finding(function, compiled, callers)


def _is_plain(value: Value) -> bool:
    return value.python_type in _PLAIN or number_of(value) is not Number.UNKNOWN


def _stays_python(function: Function, depth: int) -> bool:
    """Whether nothing in it makes or reads a tensor."""
    if depth > _DEEPEST or not list(function.values(Kind.BINARY, Kind.CALL)):
        return False
    outer = (*function.values(Kind.NAME, Kind.ATTRIBUTE),)
    if any(one.is_array is not False and not _is_known(one) for one in outer):
        return False
    for call in function.calls():
        own = all(_stays_python(run, depth + 1) for run in call.runs)
        is_python = call.facts and all(fact.framework == "python" for fact in call.facts)
        if not (is_python or (call.runs and own)):
            return False
    return True


def _is_known(value: Value) -> bool:
    """Whether something read from around the function is a number, or a callable."""
    return bool(value.names or value.functions) or _is_plain(value)


def _finding(function: Function, compiled: Compilation, callers: tuple[Call, ...]) -> Finding:
    framework = compiled.framework
    is_repeated = any(call.long_loop is not None or call.runs_for - _ONCE for call in callers)
    each = (
        "traces it for each new number, and runs a graph"
        if compiled.has(Trait.TRACES_EACH_VALUE)
        else "runs a program on the device, whose result Python has to wait for,"
    )
    edit = undecorate(compiled.file_text, *compiled.span)
    title = f"leave `{function.name}` to Python"
    return rule.finding(
        compiled,
        f"`{compiled.compiler}` compiles `{function.name}`, which is passed Python numbers and"
        f" computes with nothing else: it {each} where Python multiplies",
        f"take the decorator away, and pass what `{function.name}` gives to compiled code as a"
        f" {'tensor' if framework == 'tensorflow' else 'number'}",
        fix=Fix(title, (edit,), Safety.UNSAFE) if edit is not None else None,
        framework=framework,
        related=tuple(call.step(f"`{call.name}` is called") for call in callers[:1]),
        estimate=0.05 if is_repeated else 0.005,
    )
