"""The model's forward and backward pass are compiled: fewer, larger kernels."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import insert_behind
from deepperf.prove.offer import Machine, Offer, Part, Quantity, trained_models
from deepperf.semantics.query import File

QUANTITY = Quantity.STEP
TOUCHES = Part.MODEL
SAVES = 0.2
STARTING = 60.0


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for call in trained_models(file):
        # In place: names of parameters in checkpoints stay as they are.
        row = f"{call.result.variable}.compile()"
        edit = insert_behind(call.file_text, *call.span, [row])
        if edit is not None:
            yield Offer("compile the model", call.location.line, (edit,))
