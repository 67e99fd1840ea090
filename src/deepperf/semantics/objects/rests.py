"""What `*args` and `**options` hold: all that callers pass and no other parameter takes."""

from __future__ import annotations

from deepperf.semantics.ir.table import UNBOUND
from deepperf.semantics.objects.origin import ANYTHING, NOTHING, Held
from deepperf.semantics.program.program import Program

RESTS = {"*": "further", "**": "options"}
"""What such a parameter is called among the containers."""


def rest(program: Program, parameter: tuple[str, int, int]) -> Held:
    """What lies in such a parameter, at whatever place or under whatever name."""
    return program.answers.ask(_rest, parameter, bottom=NOTHING)


def _rest(program: Program, path: str, number: int, index: int) -> Held:
    from deepperf.semantics.callgraph.calls import is_entered, rest_for
    from deepperf.semantics.objects.holds import holds

    unit = program.unit((path, number))
    places = rest_for(program, unit.key, unit.ops[index].data)
    found = [ANYTHING if place[2] == UNBOUND else holds(program, place) for place in places]
    is_seen = bool(found) and is_entered(program, unit.key)
    return NOTHING.union(*found, NOTHING if is_seen else ANYTHING)
