"""Each step, item or request computes a tensor that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import Call, Cost, Function, Iteration, Kind, Value, share

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch", "tensorflow"),
)
_ACTS = (
    Trait.RANDOM,  # the next numbers would be others without it
    Trait.CHANGES_ELEMENTS,
    Trait.WRITES_STATE,
    Trait.PRINTS,
    Trait.BACKPROPAGATES,
    Trait.COMMUNICATES,
    Trait.CREATES_VARIABLE,
    Trait.CREATES_LAYER,
    Trait.VIEWS,
    Trait.CALLS_PYTHON,
)
_DELETE = "delete the line, or read what it computes"
_RETURNED = "compute it where somebody asks for it"


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function or function.file.role is Role.TEST:
        return
    if function.runs_often is not True and not any(function.loops()):
        return  # nor does any call in it
    unread = [call for call in function.calls() if _is_waste(call, function)]
    if not unread or function.is_traced or function.compilations:
        return
    first, *others = unread
    name = first.result.variable or first.name
    is_returned = first.result.is_returned_unread
    yield rule.finding(
        first,
        f"`{name}` is returned and no caller reads it"
        if is_returned
        else f"`{name}` is computed and nothing reads it",
        _RETURNED if is_returned else _DELETE,
        framework=first.framework,
        related=(
            *[call.step(f"only `{name}` needs this") for call in _only_for(first.result)],
            *[call.step("nothing reads this, either") for call in others],
        ),
        estimate=share(Cost.LAUNCH, len(unread), Iteration.STEP),
    )


def _is_waste(call: Call, function: Function) -> bool:
    """Whether it does nothing but compute, often, what nothing reads."""
    result = call.result
    if result.is_tried or not (result.is_unread or result.is_returned_unread):
        return False
    if call.framework not in rule.frameworks or call.has(*_ACTS):
        return False
    if result.variable.startswith("_"):
        return False
    if call.passes_unseen or "out" in call.keywords or not _is_pure(call, function):
        return False
    return call.runs_often is True


def _is_pure(call: Call, function: Function) -> bool:
    """Whether it is a known computation, or a part of a model that the model itself runs.

    A run of a whole model may fill what hooks collect, or statistics that the model keeps.
    """
    if call.has(Trait.RUNS_MODULE) or call.runs_model:
        is_part = function.is_method and Trait.RUNS_MODULE in function.parameters[0].call_traits
        return is_part and not any(_keeps_something(one) for one in call.runs)
    if call.runs:
        return all(one.only_computes and one.reaches(Trait.COMPUTES) for one in call.runs)
    return call.surely_has(Trait.COMPUTES)


def _keeps_something(function: Function) -> bool:
    return any(function.values(Kind.SET_ATTRIBUTE, Kind.SET_ITEM))


def _only_for(unread: Value) -> Iterator[Call]:
    """The computations whose results nothing else takes."""
    for given in unread.operands:
        call = given.call
        if call is not None and given.variable and set(given.readers) == {unread}:
            yield call
