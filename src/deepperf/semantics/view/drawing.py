"""Random numbers that a loop draws one by one, or row by row, as rules see them."""

from __future__ import annotations

import math

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.sizes import dimensions, numbers
from deepperf.semantics.vectorization.collected import collected
from deepperf.semantics.vectorization.slices import Taken
from deepperf.semantics.view.call import Call
from deepperf.semantics.view.expression import Expression
from deepperf.semantics.view.loop import Loop

_SHAPES = (ParameterRole.SHAPE, ParameterRole.SAMPLES)
_ONE = frozenset(("()", "[]", "(1,)", "[1]", "1"))
_LONGEST = 256
"""Numbers that are drawn in less time than a framework takes to start an operation."""
_FEW = 10
_PASSING = frozenset((LoopOver.BATCHES, LoopOver.EPOCHS))


def draws_one(call: Call) -> bool:
    """Whether a call asks for a single random number, by the shape that it is given."""
    shape = call.argument(*_SHAPES)
    if call.takes(*_SHAPES) is None:  # as many as it has parameters
        return True
    if shape is not None and shape.text == "1" and call.arguments[:1] == (shape,):
        return len(call.arguments) == 1  # lengths of several axes
    return shape is None or shape.text in _ONE


def draws_number(call: Call) -> bool:
    """Whether what is drawn is known to be one number: parameters may be arrays of several."""
    if call.argument(*_SHAPES) is not None:
        return True
    known = parameters_of(call)
    # A distribution that is made elsewhere may be one of vectors.
    if not known and call.takes(ParameterRole.SAMPLES) is not None:
        return False
    return all(numbers.is_number(call._analysis, part._node, part._scope) for part in known)


def draws_short_row(call: Call) -> bool:
    """Whether a call draws one row of numbers, short by what the text tells."""
    shape = call.argument(*_SHAPES)
    if shape is None:
        return False
    lengths = dimensions.lengths(call._analysis, [shape._node], call._scope)
    return lengths is not None and len(lengths) == 1 and 1 < (lengths[0] or 0) <= _LONGEST


def is_joined_from(call: Call, loop: Loop) -> bool:
    """Whether what a call gives in each turn of a loop becomes, as it is, part of one array."""
    return any(
        found.element is call._node and loop._frame in found.loops and not found.tests
        for found in collected(call._analysis, call._scope.module_path)
    )


def callers_that_draw(call: Call) -> list[Call]:
    """The calls, in the same file, of the function around a call, if that only draws."""
    function = call.function
    if function is None or call.loops or not call.is_all_returned:
        return []
    first = next(inner for inner in function.calls if inner.has(Trait.DRAWS))
    if first != call:
        return []
    return [caller for caller in function.callers() if caller.file.path == call.file.path]


def parameters_of(call: Call) -> list[Expression]:
    """What it draws by: bounds, means, the distribution itself; neither shape nor state."""
    roles = (*_SHAPES, ParameterRole.KEY)
    beside = [given for role in roles if (given := call.argument(role)) is not None]
    found = [argument for argument in call.arguments if argument not in beside]
    if call.receiver is not None and call.receiver.call is not None:
        found.append(call.receiver)
    return found


def loop_that_collects(call: Call) -> Loop | None:
    """The loop whose turns only compute and keep, and for all of which one draw would do."""
    loop = call.loops[-1] if call.loops else None
    if loop is None or loop.is_tiny or loop.over in _PASSING or not call.is_collected_by(loop):
        return None
    taken = [part.fetched.taken_in(loop) for part in parameters_of(call)]
    if Taken.OTHER in taken or (call.has(Trait.DRAWS_ALIKE) and any(taken)):
        return None
    return loop if _only_draws(call, loop) else None


def _only_draws(call: Call, loop: Loop) -> bool:
    # A number of NumPy costs nothing beside work on an array.
    is_beside = call.framework == "numpy" and loop.works_beside_drawing
    return (
        not is_beside
        and loop.only_computes
        and not any(
            inner.has(Trait.CREATES_LAYER) or inner.has(Trait.CREATES_VARIABLE)
            for inner in loop.calls()
        )
    )


def map_that_draws(call: Call) -> Call | None:
    """The map whose function draws by the slice that it is given, or does nothing else."""
    function = call.function
    if function is None or call.loops:
        return None
    own = frozenset(function.parameter_names)
    by_slice = any(own & part.names for part in parameters_of(call))
    if by_slice and call.has(Trait.DRAWS_ALIKE):
        return None
    if not by_slice and own & function.names_read:
        return None
    for mapping in function.handed_to():
        elements = mapping.argument(ParameterRole.ELEMENTS)
        if elements is None or not mapping.has(Trait.MAPS_ROWS):
            continue
        length = None if elements.text.startswith(("(", "[")) else elements.length
        if length is None or length > _FEW:
            return mapping
    return None


def numbers_drawn(call: Call) -> int | None:
    """How many numbers the loops around a call draw in all, where the text tells."""
    trips = [loop.trips for loop in call.loops]
    known = [count for count in trips if count is not None]
    return math.prod(known) if len(known) == len(trips) else None
