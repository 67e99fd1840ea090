"""Groups of parameters that a program makes for an optimizer."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.words import GROUP_OF_PARAMETERS
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, What
from deepperf.semantics.program.program import Program


def grouped(program: Program, place: Place) -> Iterator[Place]:
    """What the dicts, written out, that something may be give an optimizer as one group."""
    for origin in sorted(holds(program, place)):
        if origin.what is not What.CONTAINER or origin.name != "dict":
            continue
        unit = program.unit(origin.place[:2])
        op = unit.ops[origin.place[2]]
        for key, value in zip(op.data, op.args, strict=True):
            if key >= 0 and unit.ops[key].data == GROUP_OF_PARAMETERS:
                yield (*unit.key, value)
