"""How many numbers a call draws."""

from __future__ import annotations

from deepperf.knowledge.schema import ParameterRole
from deepperf.semantics.query import Call, Kind, Value

_SHAPES = (ParameterRole.SHAPE, ParameterRole.SAMPLES)
_SEQUENCES = (Kind.TUPLE, Kind.LIST)
_LONGEST = 256
"""Numbers that are drawn in less time than a framework takes to start an operation."""


def shape_of(call: Call) -> Value | None:
    return next((given for role in _SHAPES if (given := call.in_role(role)) is not None), None)


def draws_one(call: Call) -> bool:
    """Whether a call asks for a single random number, by the shape that it is given."""
    shape = shape_of(call)
    if shape is None:
        return True  # as many as it has parameters
    if shape.kind in _SEQUENCES:
        return [part.integer for part in shape.operands] in ([], [1])
    if shape.constant == 1:  # lengths of several axes may follow
        return call.arguments[0] != shape or len(call.arguments) == 1
    return shape.constant is None


def draws_number(call: Call) -> bool:
    """Whether what is drawn is known to be one number: parameters may be arrays of several."""
    if shape_of(call) is not None:
        return True
    known = parameters_of(call)
    # A distribution that is made elsewhere may be one of vectors.
    if not known and call.takes(ParameterRole.SAMPLES):
        return False
    return all(part.python_type in ("int", "float") for part in known)


def draws_short_row(call: Call) -> bool:
    """Whether a call draws one row of numbers, short by what the text tells."""
    shape = shape_of(call)
    if shape is None or shape.kind not in _SEQUENCES or len(shape.operands) != 1:
        return False
    length = shape.operands[0].integer
    return length is not None and 1 < length <= _LONGEST


def parameters_of(call: Call) -> list[Value]:
    """What it draws by: bounds, means, the distribution itself; neither shape nor state."""
    beside = [shape_of(call), call.in_role(ParameterRole.KEY)]
    found = [argument for argument in call.arguments if argument not in beside]
    if call.receiver is not None and call.receiver.call is not None:
        found.append(call.receiver)
    return found
