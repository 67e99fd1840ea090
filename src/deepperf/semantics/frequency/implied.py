"""Which integer an expression is where nobody says otherwise: by the defaults of options."""

from __future__ import annotations

from deepperf.semantics.callgraph.calls import arguments_for
from deepperf.semantics.frequency.options import default_of
from deepperf.semantics.ir.table import UNBOUND, Kind
from deepperf.semantics.objects.everywhere import attributes_set
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.lengths import range_length
from deepperf.semantics.objects.literals import integer
from deepperf.semantics.objects.names import places_bound
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program


def implied_integer(program: Program, place: Place) -> int | None:
    """The integer that an expression is, as `integer`, or by default, as an option of the command
    line. None where defaults differ, or none is seen.
    """
    return None if place[2] == UNBOUND else program.answers.ask(_implied, place, bottom=None)


def implied_count(program: Program, iterable: Place) -> int | None:
    """How many numbers a `range` has by default."""
    unit, op = program.unit(iterable[:2]), program.op(iterable)
    if op.kind is not Kind.CALL or op.data:
        return None
    callee = holds(program, (*unit.key, op.args[0]))
    if {origin.name for origin in callee} != {"builtins.range"}:
        return None
    return range_length([implied_integer(program, (*unit.key, one)) for one in op.args[1:]])


def _implied(program: Program, path: str, number: int, index: int) -> int | None:
    known = integer(program, (path, number, index))
    if known is not None:
        return known
    unit = program.unit((path, number))
    op = unit.ops[index]
    if op.kind is Kind.PARAMETER:
        places = list(arguments_for(program, unit.key, op.data)) or [(*unit.key, op.args[1])]
    elif op.kind is Kind.NAME:
        places = list(places_bound(program, unit, op.data))
    elif op.kind is Kind.ATTRIBUTE:
        held = holds(program, (*unit.key, op.args[0]))
        if any(origin.what is What.INSTANCE for origin in held) or _is_set(program, op.data):
            return None  # what fills its fields, nobody sees
        default = default_of(program, op.data)
        return default[0] if default is not None and type(default[0]) is int else None
    else:
        return None
    found = {implied_integer(program, place) for place in places}
    return found.pop() if len(found) == 1 else None


def _is_set(program: Program, name: str) -> bool:
    """Whether code sets an attribute of what may be the options: `args.steps = 4`."""
    targets = [(*place[:2], program.op(place).args[0]) for place in attributes_set(program, name)]
    return any(
        origin.what is not What.INSTANCE for target in targets for origin in holds(program, target)
    )
