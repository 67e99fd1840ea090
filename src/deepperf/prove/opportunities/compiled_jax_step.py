"""A function that JAX differentiates is compiled as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import decorate
from deepperf.knowledge.schema import Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity, spelled
from deepperf.semantics.query import File, Function

QUANTITY = Quantity.CPU
TOUCHES = Part.HERE
SAVES = 0.5


def offers(file: File, _: Machine) -> Iterator[Offer]:
    name, imports = spelled(file, "jax.jit")
    for function in file.functions():
        if name and _is_step(function):
            edit = decorate(file.text, function.location.line, name)
            if edit is not None:
                line = function.location.line
                yield Offer(f"compile `{function.name}`", line, (edit, *imports))


def _is_step(function: Function) -> bool:
    """Whether it computes a gradient, and is called in a loop."""
    differentiates = any(function.calls(Trait.DIFFERENTIATES))
    is_plain = function.is_function and not function.decorators
    is_plain = is_plain and all(loop.is_comprehension for loop in function.loops())
    return differentiates and is_plain and any(call.loops for call in function.callers())
