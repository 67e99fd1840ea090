"""A model or a costly operation runs in each iteration of a loop on what stays the same."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import hoist
from deepperf.records import Finding, Fix, Level, Role, Safety
from deepperf.rules.rule import Rule, each_function
from deepperf.rules.training_loop.loop_invariant_op.asked import asked_again, computed_again
from deepperf.semantics.query import Function, RunAgain

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
_LITTLE = 0.005


@each_function
def run_again(function: Function) -> Iterator[Finding]:
    # What a test repeats, it repeats to look at it.
    if function.file.role is Role.TEST:
        return
    for run in asked_again(function):
        first, *others = run.calls
        last = run.calls[-1]
        through = f" through `{first.name}`" if others else ""
        yield _told(
            run,
            f"`{last.name}` runs{through} in {_each(function, run)} on inputs that do not change",
        )
    for run in computed_again(function):
        first, *others = run.calls
        does = f"computes `{run.calls[-1].name}`" if others else "is computed"
        yield _told(
            run, f"`{first.name}` {does} in {_each(function, run)}, from loop-invariant operands"
        )


def _each(function: Function, run: RunAgain) -> str:
    if run.loop is None:
        return f"every call of `{function.name}`"
    return f"every iteration of `{run.loop.header}`"


def _told(run: RunAgain, message: str) -> Finding:
    first, *others = run.calls
    last = run.calls[-1]
    before = "before the loop, or in the constructor," if others else "before the loop,"
    return rule.finding(
        first,
        message,
        f"compute `{last.text}` once {before} and reuse the result",
        tuple([call.step(f"`{call.name}` is called") for call in others]),
        fix=_moved(run),
        related=tuple([one.step("computed from it alone") for one in run.followers]),
        estimate=_LITTLE,
        cause=last,
    )


def _moved(run: RunAgain) -> Fix | None:
    if run.loop is None or len(run.calls) > 1:
        return None
    edits = hoist(run.calls[0].file_text, *run.calls[0].span, run.loop.span[0])
    # Where the loop has no iteration, it was not computed at all.
    return Fix("compute it before the loop", edits, Safety.UNSAFE) if edits is not None else None
