"""Batches wait in memory from which the accelerator may copy by itself."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.knowledge.schema import Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.semantics.query import File

QUANTITY = Quantity.WALL
TOUCHES = Part.MODEL
SAVES = 0.03


def offers(file: File, machine: Machine) -> Iterator[Offer]:
    if not machine.accelerators:
        return
    for call in file.calls(Trait.LOADS_BATCHES):
        edit = add_keyword(call.file_text, *call.span, "pin_memory", "True")
        if edit is not None and not call.passes_unseen:
            yield Offer("pin the memory of batches", call.location.line, (edit,))
