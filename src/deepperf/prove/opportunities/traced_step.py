"""The training step is traced once, and then runs as one graph."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import decorate
from deepperf.knowledge.schema import Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity, spelled
from deepperf.semantics.query import File, Function

QUANTITY = Quantity.STEP
TOUCHES = Part.HERE
SAVES = 0.5


def offers(file: File, _: Machine) -> Iterator[Offer]:
    name, imports = spelled(file, "tensorflow.function", alias="tf")
    for function in file.functions():
        if name and _is_step(function):
            edit = decorate(file.text, function.location.line, name)
            if edit is not None:
                line = function.location.line
                yield Offer(f"trace `{function.name}` as a graph", line, (edit, *imports))


def _is_step(function: Function) -> bool:
    """Whether it computes a gradient for whoever calls it, and has no loop of its own."""
    records = any(function.calls(Trait.RECORDS_GRADIENT))
    is_plain = function.is_function and not function.decorators
    is_plain = is_plain and all(loop.is_comprehension for loop in function.loops())
    callers = function.callers()
    return bool(records and is_plain and callers and any(call.loops for call in callers))
