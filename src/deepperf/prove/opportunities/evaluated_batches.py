"""Evaluation, which keeps no activations, takes larger batches than training."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepperf.fixes.arguments import argument_text, replace_argument
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.semantics.query import Call, File, Loop

QUANTITY = Quantity.CPU
TOUCHES = Part.MODEL
SAVES = 0.1
MORE = 8
"""How many times as many rows are taken at once."""
MOST = 1024
_PLACE = 1
"""Of the size of batches among a loader's arguments."""
_LEARNS = (Trait.BACKPROPAGATES, Trait.STEPS_OPTIMIZER, Trait.TRAINS)


def offers(file: File, _: Machine) -> Iterator[Offer]:
    loops = [loop for loop in file.loops() if loop.iterable.makers]
    for call in file.calls(Trait.LOADS_BATCHES):
        over = [loop for loop in loops if call in loop.iterable.makers]
        if call.passes_unseen or not over or not all(map(_only_asks, over)):
            continue
        name = "batch_size" if "batch_size" in call.keywords else _PLACE
        where = call.file_text, *call.span
        wanted = _more(call, argument_text(*where, name))
        edit = replace_argument(*where, name, wanted) if wanted else None
        if edit is not None:
            yield Offer(f"evaluate {MORE} times as many rows at once", call.location.line, (edit,))


def _more(call: Call, size: str | None) -> str:
    """The size of larger batches; "" where they are large, or no size is told."""
    given = call.in_role(ParameterRole.BATCH_SIZE)
    if given is None or size is None or given.constant is None:
        return ""
    if type(given.constant) is int:
        wanted = min(MOST, given.constant * MORE)
        return str(wanted) if given.constant < wanted else ""
    return f"{MORE} * {size}" if re.fullmatch(r"[\w.]+", size) else f"{MORE} * ({size})"


def _only_asks(loop: Loop) -> bool:
    """Whether it runs a model, and records no gradients."""
    runs = [call for call in loop.calls() if call.way_to(Trait.RUNS_MODULE)]
    return (
        bool(runs)
        and all(call.is_gradient_free for call in runs)
        and not any(loop.reaches(trait) for trait in _LEARNS)
    )
