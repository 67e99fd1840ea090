"""Short rows of random numbers that a loop draws one by one, as rules see them."""

from __future__ import annotations

from deepperf.knowledge.schema import ParameterRole
from deepperf.semantics.sizes import extents
from deepperf.semantics.vectorization.collected import collected
from deepperf.semantics.view.call import Call
from deepperf.semantics.view.loop import Loop

__all__ = ["draws_short_row", "is_joined_from"]

_LONGEST = 256
"""Numbers that are drawn in less time than a framework takes to start an operation."""


def draws_short_row(call: Call) -> bool:
    """Whether a call draws one row of numbers, short by what the text tells."""
    shape = call.argument(ParameterRole.SHAPE)
    if shape is None:
        return False
    lengths = extents.named_shape(call._analysis, shape._node, call._scope)
    return lengths is not None and len(lengths) == 1 and 1 < (lengths[0] or 0) <= _LONGEST


def is_joined_from(call: Call, loop: Loop) -> bool:
    """Whether what a call gives in each turn of a loop becomes, as it is, part of one array."""
    return any(
        found.element is call._node and loop._frame in found.loops and not found.tests
        for found in collected(call._analysis, call._scope.module_path)
    )
