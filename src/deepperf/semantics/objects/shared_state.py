"""What code keeps on objects of which nothing is known, as on the state of an application."""

from __future__ import annotations

from deepperf.semantics.ir.table import Kind
from deepperf.semantics.objects.everywhere import attributes_set
from deepperf.semantics.objects.origin import ANYTHING, NOTHING, Held, Origin, What
from deepperf.semantics.program.program import Program

_MADE = frozenset((What.INSTANCE, What.OBJECT, What.FUNCTION, What.BOUND))


def kept_on(program: Program, owner: str, name: str) -> Held:
    """What code sets `….owner.name` to, wherever nobody knows the object that has an `owner`.

    Nothing tells that it is one object, so that the attribute may be anything else as well.
    """
    return program.answers.ask(_kept_on, (owner, name), bottom=NOTHING)


def _kept_on(program: Program, owner: str, name: str) -> Held:
    from deepperf.semantics.objects.holds import holds

    found: set[Origin] = set()
    for place in attributes_set(program, name):
        unit = program.unit(place[:2])
        target, value = unit.ops[place[2]].args[:2]
        op = unit.ops[target]
        is_named = op.kind is Kind.ATTRIBUTE and op.data == owner
        if is_named and holds(program, (*unit.key, target)) == ANYTHING:
            found |= holds(program, (*unit.key, value))
    return frozenset(one for one in found if one.what in _MADE)
