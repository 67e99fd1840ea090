"""What a value is, told by calls of methods that nothing but its type has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deepperf.semantics.ir.table import Kind, Unit
from deepperf.semantics.objects.origin import UNKNOWN, Held, Origin, What
from deepperf.semantics.program.program import Program


def told_of(program: Program, unit: Unit, index: int) -> Iterator[str]:
    """The methods of a value that are called, and that a single library class has."""
    telling = program.knowledge.telling
    for user in unit.uses(index):
        op = unit.ops[user]
        if op.kind is Kind.ATTRIBUTE and op.data in telling and _is_called(unit, user):
            yield telling[op.data]


def typed(methods: Iterable[str]) -> Held:
    """An object of the class that has some methods."""
    return frozenset(Origin(What.OBJECT, method.rpartition(".")[0]) for method in methods)


def corrected(program: Program, found: Held, methods: Iterable[str]) -> Held:
    """What was found, and where that is unknown or has no such methods what these tell."""
    kept = frozenset(one for one in found if one.what not in (What.UNKNOWN, What.OBJECT))
    if kept and UNKNOWN not in found:
        return found
    method_of = program.knowledge.method
    objects = [one.name for one in found if one.what is What.OBJECT]
    told = typed(
        method
        for method in methods
        if not any(method_of(name, method.rpartition(".")[2]) for name in objects)
    )
    return kept | told if told else found


def _is_called(unit: Unit, index: int) -> bool:
    return any(
        unit.ops[user].kind is Kind.CALL and unit.ops[user].args[0] == index
        for user in unit.uses(index)
    )
