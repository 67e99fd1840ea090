"""Whether the iterations of a loop do nothing but compute, so that their order is free."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.knowledge.schema import Trait
from deepperf.semantics.callgraph.callees import callees
from deepperf.semantics.ir.table import Block, Kind, Unit
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of, traits_of

_ACTING = frozenset((Kind.SET_ATTRIBUTE, Kind.YIELD, Kind.AWAIT, Kind.DELETE, Kind.RAISE))
_EFFECTS = frozenset(
    (
        Trait.WRITES_STATE,
        Trait.PRINTS,
        Trait.READS_FILE,
        Trait.ASKS_PERSON,
        Trait.WAITS,
        Trait.CALLS_PYTHON,
        Trait.SEEDS,
        Trait.CREATES_LAYER,
        Trait.CREATES_VARIABLE,
        Trait.RUNS_MODULE,
        Trait.RUNS_SESSION,
    )
)
_KEEPING = frozenset((Trait.KEEPS_ARGUMENT, Trait.COLLECTS))


def only_computes(program: Program, unit: Unit, region: int) -> bool | None:
    """Whether an iteration changes nothing but lists and arrays that it adds to.

    None where it calls something of which nothing is known. One that ends the loop early does
    not only compute: how many there are rests on it.
    """
    return program.answers.ask(_only_computes, (*unit.key, region), bottom=None)


def _only_computes(program: Program, path: str, number: int, region: int) -> bool | None:
    unit = program.unit((path, number))
    if region and any(
        block.leaves and block.block in (Block.THEN, Block.ELSE) and unit.within(inner, region)
        for inner, block in enumerate(unit.regions)
    ):
        return False
    answers: list[bool | None] = []
    for index, op in enumerate(unit.ops):
        if unit.within(op.region, region):
            if op.kind in _ACTING or (region and op.kind is Kind.RETURN):
                return False
            if op.kind is Kind.CALL:
                answers.append(_computes(program, unit, index))
    return _all(answers)


def _computes(program: Program, unit: Unit, index: int) -> bool | None:
    place = (*unit.key, index)
    traits = traits_of(program, place)
    if not traits.isdisjoint(_KEEPING):
        return True
    if not traits.isdisjoint(_EFFECTS):
        return False
    if facts_of(program, place):
        return True
    called = holds(program, (*unit.key, unit.ops[index].args[0]))
    if called and all(o.what is What.LIBRARY and o.name.startswith("builtins.") for o in called):
        return not any(o.name in _ACTING_BUILTINS for o in called)
    inner = [program.unit(callee.unit) for callee in callees(program, place)]
    if not inner:
        return None
    return _all(only_computes(program, one, 0) for one in inner)


_ACTING_BUILTINS = frozenset(("builtins.print", "builtins.input", "builtins.open", "builtins.next"))


def _all(answers: Iterable[bool | None]) -> bool | None:
    found = set(answers)
    if False in found:
        return False
    return None if None in found else True
