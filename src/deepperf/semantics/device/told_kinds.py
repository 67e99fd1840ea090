"""What a branch knows of a variable: that it is a number, a list or the like, and no tensor."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.semantics.device.residence import DEVICE_ARRAYS
from deepperf.semantics.ir.table import UNBOUND, Block, Kind, Unit
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import traits_of

_OPPOSITE = {Block.THEN: Block.ELSE, Block.ELSE: Block.THEN}
_HOST_LIBRARIES = ("builtins.", "numpy.")
_ANY = "builtins.object"


def is_no_tensor(program: Program, unit: Unit, index: int, region: int) -> bool:
    """Whether a condition around a region tells that what an operation gave is no tensor."""
    return any(
        _excludes(program, unit, unit.ops[block.op].args[0], block.block, index)
        for block in (unit.regions[number] for number in unit.around(region))
        if block.block in _OPPOSITE and unit.ops[block.op].data != "match"
    )


def _excludes(program: Program, unit: Unit, test: int, wanted: Block, index: int) -> bool:
    """Whether a condition that is true (or false, as `wanted` says) rules out a tensor."""
    if test == UNBOUND:
        return False
    op = unit.ops[test]
    if op.kind is Kind.UNARY and op.data == "Not":
        return _excludes(program, unit, op.args[0], _OPPOSITE[wanted], index)
    if op.kind is Kind.LOGIC:
        parts = [_excludes(program, unit, part, wanted, index) for part in op.args]
        all_hold = (op.data == "and") is (wanted is Block.THEN)
        return any(parts) if all_hold else all(parts)
    if op.kind is not Kind.CALL or index not in op.args[1:2]:
        return False
    if Trait.TELLS_KIND in traits_of(program, (*unit.key, test)):
        return wanted is Block.ELSE
    called = holds(program, (*unit.key, op.args[0]))
    if len(op.args) != 3 or {origin.name for origin in called} != {"builtins.isinstance"}:
        return False
    classes = list(_classes(program, unit, op.args[2]))
    if wanted is Block.ELSE:
        return bool(DEVICE_ARRAYS.intersection(classes))
    return bool(classes) and all(
        name.startswith(_HOST_LIBRARIES) and name != _ANY for name in classes
    )


def _classes(program: Program, unit: Unit, index: int) -> Iterator[str]:
    """The classes that an object is compared with, by name; "" for one that has none."""
    op = unit.ops[index]
    if op.kind in (Kind.TUPLE, Kind.BINARY):
        for part in op.args:
            yield from _classes(program, unit, part)
        return
    held = holds(program, (*unit.key, index))
    names = {origin.name for origin in held if origin.what is What.LIBRARY}
    yield names.pop() if len(held) == len(names) == 1 else ""
