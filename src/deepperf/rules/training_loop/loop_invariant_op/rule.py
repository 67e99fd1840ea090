"""A framework operation is computed in each turn of a loop from operands that stay the same."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import hoist
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Fix, Level, Location, Role, Safety
from deepperf.rules.rule import Rule, each_function, on_file, on_loop
from deepperf.rules.training_loop.loop_invariant_op.asked import asked_again
from deepperf.semantics.query import Function, RunAgain
from deepperf.semantics.view import FileView, Loop, RepeatedWork

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
_MUCH, _LITTLE = 0.02, 0.005
MAKING = frozenset((Trait.CREATES_LAYER, Trait.CREATES_VARIABLE))


@on_file
def repeated_in_hook(file: FileView) -> Iterator[Finding]:
    for hook in file.step_hooks:
        yield from _repeated(hook)


@on_loop
def repeated_operation(loop: Loop) -> Iterator[Finding]:
    yield from _repeated(loop)


@each_function
def run_again(function: Function) -> Iterator[Finding]:
    if function.file.role is Role.TEST:
        return
    for run in asked_again(function):
        first, *others = run.calls
        last = run.calls[-1]
        turn = f"every call of `{function.name}`"
        if run.loop is not None:
            turn = f"every iteration of `{run.loop.header}`"
        through = f" through `{first.name}`" if others else ""
        before = "before the loop, or in the constructor," if others else "before the loop,"
        yield rule.finding(
            first,
            f"`{last.name}` runs{through} in {turn} on inputs that do not change",
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
    return Fix("compute it before the loop", edits, Safety.UNSAFE) if edits is not None else None


def _repeated(loop: Loop) -> Iterator[Finding]:
    # What a test repeats, it repeats to look at it.
    if loop.file.role is Role.TEST:
        return
    works = [work for work in loop.repeated_work() if not _is_quiet(loop, work)]
    told: set[tuple[frozenset[str], tuple[Location, ...]]] = set()
    filled: set[tuple[Location, Location]] = set()
    for work in works:
        # Several calls may do the same in the same function: that is to be mended once.
        way = tuple(call.location for call in (*work.calls, work.operation))
        if work.is_inside and (work.given, way) in told:
            continue
        told.add((work.given, way))
        # However many ways lead to what fills a table, there is one thing to mend.
        if work.filled and (work.call.location, work.operation.location) in filled:
            continue
        filled.add((work.call.location, work.operation.location))
        yield rule.finding(
            work.call,
            _message(work),
            _remedy(work),
            work.steps(),
            fix=_fix(loop, work),
            framework=work.framework,
            # A table that Python fills takes longest, and speaks for what is repeated beside it.
            estimate=_MUCH if work.filled else _LITTLE,
            cause=work.operation,
        )


def _fix(loop: Loop, work: RepeatedWork) -> Fix | None:
    if work.filled or (work.is_inside and not work.stays_whole):
        return None
    edits = hoist(loop.file.text, *work.call.span, loop.span[0])
    # Where the loop has no iteration, it was not computed at all.
    return Fix("compute it before the loop", edits, Safety.UNSAFE) if edits is not None else None


def _is_quiet(loop: Loop, work: RepeatedWork) -> bool:
    # While a function is traced its loops unroll, once, and compilers merge equal operations.
    if work.is_unrolled or loop.waits or work.operation.runs_natively:
        return True
    # In graph mode, and under tracers that we do not see, the same holds.
    if not work.is_run_each_turn:
        return True
    # A loop that makes layers runs as often as the model has layers. Loops around it may not.
    inmost = work.call.loops[-1:] or (loop,)
    return bool(inmost[0].reached_calls(MAKING))


def _message(work: RepeatedWork) -> str:
    turn = work.loop.turn
    if work.filled:
        return (
            f"`{work.call.called}` fills `{work.filled}` item by item in {turn}, "
            "with values that do not change"
        )
    if work.is_inside:
        return (
            f"`{work.call.called}` computes `{work.operation.called}` in {turn}, "
            "from loop-invariant operands"
        )
    return f"`{work.call.called}` is computed in {turn}, from loop-invariant operands"


def _remedy(work: RepeatedWork) -> str:
    if work.filled:
        return "fill it once, before the loop or in the constructor, and reuse it"
    if work.is_inside and not work.stays_whole:
        return (
            f"compute `{work.operation.text}` once, before the loop or in the constructor, and "
            "reuse the result"
        )
    verb = "call" if work.is_inside else "compute"
    return f"{verb} `{work.call.text}` once before the loop, and reuse the result"
