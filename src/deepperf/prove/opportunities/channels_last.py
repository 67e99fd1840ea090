"""Convolutions find the channels of a pixel side by side."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import insert_behind
from deepperf.prove.offer import Machine, Offer, Part, Quantity, spelled, trained_models
from deepperf.semantics.query import File

QUANTITY = Quantity.CPU
TOUCHES = Part.MODEL
SAVES = 0.06


def offers(file: File, _: Machine) -> Iterator[Offer]:
    if not file.mentions("Conv2d"):
        return
    layout, imports = spelled(file, "torch.channels_last")
    for call in trained_models(file):
        row = f"{call.result.variable}.to(memory_format={layout})"
        edit = insert_behind(call.file_text, *call.span, [row])
        if edit is not None and layout:
            yield Offer(
                "lay out the model's weights channels last", call.location.line, (edit, *imports)
            )
