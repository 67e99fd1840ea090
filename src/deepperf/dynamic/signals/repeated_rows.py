"""A model of several inputs passes the same rows again and again through a part that they share."""

from __future__ import annotations

import random
import weakref
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.keras_calls import ModelCall, listen, multiplications, rows_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "repeated-rows"
RULES = ()
SYMPTOMS = ("slow-execution",)
FEWEST_ROWS = 512
"""Rows of a call below which all of it is over in a moment."""
LOOKED_AT = 512
"""Rows that are compared with each other, taken by chance."""
LARGE_ROW = 64
"""Numbers of a row: smaller ones are ids or a few features, alike by chance and cheap."""
LARGEST_ROW = 1 << 20
"""Bytes of a row beyond which comparing rows takes longer than it may."""
AGAIN = 4
"""How often rows come on average before it is worth to keep what was made of them."""
FEWEST_WORK = 0.3
"""Part of the model's multiplications that the shared part does."""


def watch(tape: Tape) -> None:
    """Look at the rows that models with a shared part are asked about."""
    shared: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()

    def look(call: ModelCall) -> None:
        data = call.argument("x", 0)
        rows = rows_of(data)
        if not isinstance(data, (list, tuple)) or len(data) < 2 or (rows or 0) < FEWEST_ROWS:
            return
        if call.model not in shared:
            shared[call.model] = _shared_part(call.model)
        part = shared[call.model]
        if part < FEWEST_WORK:
            return
        again = [_times_each(array) for array in data]
        if min(again) >= AGAIN:
            detail = {"rows": rows, "again": min(again), "part": part}
            tape.note(NAME, call.place, seconds=call.seconds, detail=detail)

    listen(tape, NAME, ("predict",), look)


def _shared_part(model: Any) -> float:
    """The part of the model's multiplications that is done by layers applied to several inputs."""
    total = alone = 0
    for layer in getattr(model, "layers", ()):
        work = sum(flops for _, flops, _ in multiplications(layer)) if _is_model(layer) else 0
        inputs = [_input_of(node) for node in getattr(layer, "_inbound_nodes", ())]
        ours = [one for one in inputs if one is not None and one in model.layers]
        uses = max(1, len(ours))
        total += work * uses
        if len({id(one) for one in ours}) > 1:
            alone += work * uses
    return alone / total if total else 0.0


def _is_model(layer: Any) -> bool:
    return hasattr(layer, "_flatten_layers") and hasattr(layer, "layers")


def _input_of(node: Any) -> Any:
    """The input layer that a layer was applied to, and to nothing else; None else."""
    tensors = list(node.input_tensors)
    if len(tensors) != 1:
        return None
    history = getattr(tensors[0], "_keras_history", None)
    made_by = getattr(history, "operation", None) or getattr(history, "layer", None)
    return made_by if type(made_by).__name__ == "InputLayer" else None


def _times_each(array: Any) -> float:
    """About how often each row of an array comes, judged by some of them; 1 where it is not told.

    Of n rows taken by chance out of d that differ, d (1 - exp(-n / d)) differ.
    """
    shape = getattr(array, "shape", (0,))
    width = 1
    for side in shape[1:]:
        width *= int(side)
    is_plain = type(array).__module__.startswith("numpy")
    if not is_plain or width < LARGE_ROW or array.nbytes > LARGEST_ROW * shape[0]:
        return 1.0
    # Its own source of chance: the program's must go on as without us.
    chosen = random.Random(0).sample(range(shape[0]), min(LOOKED_AT, shape[0]))
    differing = len({hash(array[row].tobytes()) for row in chosen})
    if differing > len(chosen) / 2:
        # More than half differ: there may be more than are told from so few.
        return shape[0] / (2.0 * len(chosen)) if differing < 0.8 * len(chosen) else 1.0
    return float(shape[0] / differing)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The calls whose rows came often."""
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        told = seen.detail
        saved = told["part"] * (1.0 - 1.0 / told["again"])
        yield told_at(
            seen,
            signal=NAME,
            cause="inefficient-model-structure",
            message="the same rows pass repeatedly through a part that the inputs share",
            evidence=(
                f"{told['rows']:,} rows, each about {told['again']:,.0f} times; the shared part "
                f"does {told['part']:.0%} of the multiplications"
            ),
            remedy=(
                "give each row once to the shared part, keep what it makes, and give the rest of "
                "the model pairs of that"
            ),
            share=share_of_seconds(trace, saved * seen.seconds),
        )
