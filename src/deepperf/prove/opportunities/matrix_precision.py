"""Products of matrices are computed by the tensor cores, in TensorFloat-32."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import insert_behind
from deepperf.prove.offer import Machine, Offer, Part, Quantity, spelled, trained_models
from deepperf.semantics.query import File

QUANTITY = Quantity.WALL
TOUCHES = Part.MODEL
SAVES = 0.12
SWITCH = "torch.set_float32_matmul_precision"


def offers(file: File, machine: Machine) -> Iterator[Offer]:
    name, imports = spelled(file, SWITCH)
    if not machine.accelerators or not name or file.mentions(SWITCH.rpartition(".")[2]):
        return
    for call in trained_models(file)[:1]:
        edit = insert_behind(call.file_text, *call.span, [f'{name}("high")'])
        if edit is not None:
            title = "compute products of matrices in TensorFloat-32"
            yield Offer(title, call.location.line, (edit, *imports))
