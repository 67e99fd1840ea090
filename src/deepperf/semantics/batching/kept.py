"""What becomes of a value that an iteration of a loop makes."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.ir.table import Block, Kind, Op, Unit
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import traits_of

_ARITHMETIC = frozenset((Kind.BINARY, Kind.UNARY, Kind.LIST))
_JOINING = frozenset((Kind.PHI, Kind.CYCLE))
_CONVERTING = frozenset((Trait.READS_NUMBERS, Trait.CASTS, Trait.ADDS_AXIS, Trait.VIEWS))
_KEEPING = frozenset((Trait.KEEPS_ARGUMENT, Trait.COLLECTS))
_NUMBERS = frozenset(("builtins.int", "builtins.float", "builtins.abs"))
_LISTS = ("list", "generator")


def is_kept(program: Program, place: Place, region: int) -> bool | None:
    """Whether each iteration puts a value into a list or an array, and uses it for nothing else;
    of a function as a whole (region 0), whether it returns it.

    What arithmetic and conversions make of it counts as it. None where something of which
    nothing is known takes it.
    """
    unit = program.unit(place[:2])
    is_put, is_unknown = False, False
    pending, seen = [place[2]], {place[2]}
    while pending:
        index = pending.pop()
        for number in unit.uses(index):
            op = unit.ops[number]
            if _puts(program, unit, number, op, index, region):
                is_put = True
            elif not unit.within(op.region, region):
                continue  # what the last iteration leaves
            elif _passes(program, unit, number, op, index):
                if number not in seen:
                    seen.add(number)
                    pending.append(number)
            elif op.kind is Kind.CALL and not traits_of(program, (*unit.key, number)):
                is_unknown = True
            elif op.kind is not Kind.RETURN:
                return False
            elif region == 0:
                is_put = True
    return None if is_unknown else is_put


def _passes(program: Program, unit: Unit, number: int, op: Op, index: int) -> bool:
    """Whether an operation's result is the value still, as a number or in an expression."""
    if op.kind in _ARITHMETIC or op.kind in _JOINING:
        return True
    if op.kind is Kind.ITEM:  # the only number of an array of one
        return op.args[0] == index and unit.ops[op.args[1]].kind is Kind.CONSTANT
    if op.kind is Kind.ATTRIBUTE:
        return any(_is_conversion(program, unit, user) for user in unit.uses(number))
    return op.kind is Kind.CALL and _is_conversion(program, unit, number)


def _is_conversion(program: Program, unit: Unit, call: int) -> bool:
    if unit.ops[call].kind is not Kind.CALL:
        return False
    if not traits_of(program, (*unit.key, call)).isdisjoint(_CONVERTING):
        return True
    called = holds(program, (*unit.key, unit.ops[call].args[0]))
    return bool(called) and all(o.what is What.LIBRARY and o.name in _NUMBERS for o in called)


def _puts(program: Program, unit: Unit, number: int, op: Op, index: int, region: int) -> bool:
    """Whether each iteration of the loop puts a value somewhere."""
    if op.kind is Kind.COLLECT:
        return op.data in _LISTS and _is_each(unit, unit.ops[index].region, region)
    if not unit.within(op.region, region) or not _is_each(unit, op.region, region):
        return False
    if op.kind is Kind.SET_ITEM:
        return op.args[2] == index
    if op.kind is not Kind.CALL or index not in op.args[1:]:
        return False
    return not traits_of(program, (*unit.key, number)).isdisjoint(_KEEPING)


def _is_each(unit: Unit, inner: int, region: int) -> bool:
    """Whether what stands in a region runs in each iteration: behind no condition inside."""
    return all(
        unit.regions[number].block not in (Block.THEN, Block.ELSE, Block.HANDLER)
        for number in _between(unit, inner, region)
    )


def _between(unit: Unit, inner: int, region: int) -> Iterator[int]:
    """The regions inside of a loop around something."""
    for number in unit.around(inner):
        if number == region:
            return
        yield number
