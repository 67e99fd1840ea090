"""A function that computes a gradient of JAX, or the one that it is taken of, is compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deepperf.fixes.statements import decorate
from deepperf.knowledge.schema import Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity, spelled
from deepperf.semantics.query import File, Function

QUANTITY = Quantity.CPU
TOUCHES = Part.HERE
SAVES = 0.5


def offers(file: File, _: Machine) -> Iterator[Offer]:
    name, imports = spelled(file, "jax.jit")
    steps = [function for function in file.functions() if _is_step(function)]
    for function in dict.fromkeys((*steps, *_differentiated(file, steps))):
        edit = decorate(file.text, function.location.line, name) if name else None
        if edit is not None:
            line = function.location.line
            yield Offer(f"compile `{function.name}`", line, (edit, *imports))


def _is_step(function: Function) -> bool:
    """Whether it computes a gradient, and is called in a loop."""
    differentiates = any(function.calls(Trait.DIFFERENTIATES))
    is_plain = _is_plain(function) and all(loop.is_comprehension for loop in function.loops())
    return differentiates and is_plain and any(call.loops for call in function.callers())


def _differentiated(file: File, steps: Sequence[Function]) -> Iterator[Function]:
    """What gradients are taken of in loops, where no function of its own does it."""
    for call in file.calls():
        if call.loops and call.function not in steps:
            for maker in call.gradient_makers:
                taken_of = maker.arguments[0].functions if maker.arguments else ()
                yield from (one for one in taken_of if one.path == file.path and _is_plain(one))


def _is_plain(function: Function) -> bool:
    return function.is_function and bool(function.name) and not function.decorators
