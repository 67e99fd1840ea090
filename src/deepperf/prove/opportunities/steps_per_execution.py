"""Keras runs several batches in one call of its graph."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.semantics.query import File

QUANTITY = Quantity.CPU
TOUCHES = Part.MODEL
SAVES = 0.15
COMPILE = "keras.Model.compile"
STEPS = "16"


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for call in file.calls():
        if call.is_of(COMPILE) and not call.passes_unseen and "run_eagerly" not in call.keywords:
            edit = add_keyword(file.text, *call.span, "steps_per_execution", STEPS)
            if edit is not None:
                title = f"run {STEPS} batches in each call of the graph"
                yield Offer(title, call.location.line, (edit,))
