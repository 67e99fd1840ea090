"""Which runs of a model give what another run in the same call of a function has given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.forwards.runs import Run, runs_by, runs_in
from deepperf.semantics.forwards.terms import Term, may_change, parts, roots_of, term
from deepperf.semantics.frequency.guards import guard_of
from deepperf.semantics.gradients.recording import is_gradient_free
from deepperf.semantics.ir.table import Block, Kind, Unit
from deepperf.semantics.objects.origin import Place, UnitKey
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.memory import roots
from deepperf.semantics.summaries.reach import reached_by
from deepperf.semantics.summaries.writes import Way, reaches, writes

_CHANGING = frozenset(
    (
        *(Trait.STEPS_OPTIMIZER, Trait.STEPS_TRAINING, Trait.TRAINS, Trait.LOADS_MODEL),
        *(Trait.SETS_EVALUATION, Trait.SEEDS, Trait.TELLS_TIME),
    )
)
"""What makes another run give something else, or shows that the run itself is looked at."""


class Twice(NamedTuple):
    """Two runs of one model on one input, the second of which gives what the first gave."""

    first: Run
    second: Run


_NONE: tuple[Twice, ...] = ()


def run_twice(program: Program, key: UnitKey) -> tuple[Twice, ...]:
    """The runs that calls of a function make again: one pair for any two calls."""
    return program.answers.ask(_run_twice, key, bottom=_NONE)


def _run_twice(program: Program, path: str, number: int) -> tuple[Twice, ...]:
    unit = program.unit((path, number))
    before: dict[object, Run] = {}
    found: dict[tuple[int, int], Twice] = {}
    for run in runs_in(program, unit.key):
        first = before.get(run.what)
        if first is None:
            before[run.what] = run
            continue
        at = first.chain[0][2], run.chain[0][2]
        if at[0] == at[1] or not _is_given(run) or not _follows(program, unit, *at):
            continue
        if _is_model_itself(program, first) and _is_model_itself(program, run):
            continue
        if _is_changed(program, unit, first, run):
            before[run.what] = run
        elif at not in found:
            found[at] = Twice(first, run)
    return tuple(found.values())


def _is_given(run: Run) -> bool:
    """Whether it is run on something that may be more than a constant."""
    return any(part[0] in ("parameter", "made", "variable") for part in parts(run.given))


def _is_model_itself(program: Program, run: Run) -> bool:
    """Whether what leads to the run of a part is the run of a model, on something else: the parts
    that embed a time or a condition are small.
    """
    return len(run.chain) > 1 and len(runs_by(program, run.chain[0])[0].chain) == 1


def _follows(program: Program, unit: Unit, first: int, second: int) -> bool:
    """Whether where the rarer of two calls runs, the other has run, or will, in the same pass."""
    one, other = unit.ops[first].region, unit.ops[second].region
    if unit.loops_around(first) != unit.loops_around(second):
        return False
    if unit.within(one, other):
        inner, outer = one, other
    elif unit.within(other, one):
        inner, outer = other, one
    else:
        return _are_apart(unit, one, other)
    return all(_is_usual(program, unit, region) for region in _between(unit, inner, outer))


def _are_apart(unit: Unit, one: int, other: int) -> bool:
    """Whether two blocks follow each other, neither under a condition."""
    common = next(region for region in unit.around(one) if unit.within(other, region))
    both = (*_between(unit, one, common), *_between(unit, other, common))
    return all(unit.regions[region].block in (Block.WITH, Block.TRY) for region in both)


def _is_usual(program: Program, unit: Unit, region: int) -> bool:
    block = unit.regions[region]
    if block.block is Block.HANDLER or block.leaves:
        return False
    return not guard_of(program, unit, region).is_rare


def _between(unit: Unit, inner: int, outer: int) -> Iterator[int]:
    """The regions around something inside of another."""
    for region in unit.around(inner):
        if region == outer:
            return
        yield region


def _is_changed(program: Program, unit: Unit, first: Run, second: Run) -> bool:
    """Whether the model, or what it is given, may be another by the time of the second run."""
    start, end = first.chain[0][2], second.chain[0][2]
    model, given = roots_of(program, first.model), roots_of(program, first.given)
    for write in writes(program, unit.key):
        # What the runs themselves do to the model is known, where it is anything.
        is_own = write.at in (start, end) and write.way is Way.UNKNOWN
        if start <= write.at <= end and not is_own and may_change(write, model, given):
            return True
    is_recorded = _is_learnt_from(program, unit, second)
    whole = set(_owners(first.model))
    for index in unit.calls:
        if not start < index < end:
            continue
        reached = reached_by(program, (*unit.key, index))
        if not _CHANGING.isdisjoint(reached):
            return True
        # The graph of the first run is gone once gradients are computed from it.
        if is_recorded and Trait.BACKPROPAGATES in reached:
            return True
        callee = unit.ops[unit.ops[index].args[0]]
        # A method of the model may switch, reset or adapt it.
        of = (*unit.key, callee.args[0]) if callee.kind is Kind.ATTRIBUTE else None
        if of is not None and term(program, of) in whole:
            return True
    return False


def _is_learnt_from(program: Program, unit: Unit, run: Run) -> bool:
    """Whether gradients may be computed from a run, behind it."""
    behind = (index for index in unit.calls if index > run.chain[0][2])
    learns = any(
        Trait.BACKPROPAGATES in reached_by(program, (*unit.key, index)) for index in behind
    )
    return learns and not is_free(program, run)


def is_free(program: Program, run: Run) -> bool:
    """Whether no gradients are recorded while a model is run, by a block on the way to it."""
    return any(is_gradient_free(program, place) for place in run.chain)


def _owners(model: Term) -> Iterator[Term]:
    """A model, and the models that it is a part of; the object of a method is none."""
    for part in parts(model):
        if part is model or part[:2] == ("of", Kind.ATTRIBUTE):
            yield part


def is_rewritten(program: Program, first: Place, second: Place) -> bool:
    """Whether code between two calls may write to what the first of them gave."""
    made = roots(program, first)
    between = (one for one in writes(program, first[:2]) if first[2] < one.at <= second[2])
    return any(reaches(write, root) for write in between for root in made)


def may_share(program: Program, first: Place, second: Place) -> bool:
    """Whether one object may stand for what two calls gave: nothing writes to it afterwards."""
    made = {*roots(program, first), *roots(program, second)}
    behind = (one for one in writes(program, first[:2]) if one.at > second[2])
    return not any(reaches(write, root) for write in behind for root in made)
