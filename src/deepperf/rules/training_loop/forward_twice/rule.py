"""One step, request or sampler step runs a model again on what it was run on already."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepperf.fixes.statements import delete_statement
from deepperf.records import Edit, Finding, Fix, Level, Role, Safety
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import Cost, Function, Iteration, RunTwice, share

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("keras", "torch"),
)
_ONCE = frozenset(("run", "seldom"))
_MERGING = frozenset(("jax", "torch"))
"""Frameworks whose compilers compute equal expressions of one function once."""


@each_function
def check(function: Function) -> Iterator[Finding]:
    if not function.is_function or function.file.role is Role.TEST:
        return
    twice = [one for one in function.runs_twice if _is_waste(one)]
    if not twice or _is_merged(function):
        return
    first, *others = twice
    again = first.second[0]
    yield rule.finding(
        again,
        _message(first),
        _remedy(first),
        path=tuple([call.step(f"`{call.name}` is called") for call in first.second[1:]]),
        fix=_reused(first),
        related=(
            first.first[0].step("the first run"),
            *[one.second[0].step("a model runs again here, too") for one in others],
        ),
        estimate=share(Cost.FORWARD, 1, Iteration.STEP),
    )


def _is_waste(twice: RunTwice) -> bool:
    """Whether both results are used, often, and are the same, and a run is work."""
    for call in (twice.first[0], twice.second[0]):
        # A run whose result nobody takes warms up, or fills what hooks collect.
        if not call.result.users:
            return False
        if not call.loops and call.runs_for and call.runs_for <= _ONCE:
            return False
    return twice.may_differ is False and twice.does_work is not False


def _is_merged(function: Function) -> bool:
    compiled = {one.framework for one in function.compilations}
    return not compiled.isdisjoint(_MERGING)


def _message(twice: RunTwice) -> str:
    first, second = twice.first, twice.second
    if len(first) == len(second) == 1:
        return f"`{second[0].text}` runs the model again on the same inputs"
    what = f"`{second[0].name}` runs `{second[-1].name}`"
    return f"{what} on what `{first[0].name}` has run it on already"


def _remedy(twice: RunTwice) -> str:
    if len(twice.first) != 1 or len(twice.second) != 1:
        return "run it once, and pass its result to both"
    if _is_in_other_context(twice):
        return "run it once, and detach its result where no gradients are wanted"
    return "run it once, and use its result in both places"


def _is_in_other_context(twice: RunTwice) -> bool:
    """Whether only one of the runs stands in a `with`, which is about gradients then."""
    return twice.first[-1].contexts != twice.second[-1].contexts


def _reused(twice: RunTwice) -> Fix | None:
    """The variable in place of the second run, where it holds the result of the first still."""
    name, again = twice.kept_as, twice.second[0]
    if not name or again.conditions != twice.first[0].conditions or _is_in_other_context(twice):
        return None
    text, (start, end) = again.file_text, again.span
    # Where the variable would get its own value, nothing is left to do.
    target = re.search(rf"\b{re.escape(name)}\s*=\s*$", text[:start])
    deleted = delete_statement(text, target.start(), end) if target else None
    edit = deleted or Edit(start, end, name)
    return Fix("use the result of the first run", (edit,), Safety.UNSAFE)
