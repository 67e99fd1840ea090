"""All parameters are updated by one kernel, not by some for each."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.semantics.query import File

QUANTITY = Quantity.CPU
TOUCHES = Part.UPDATING
SAVES = 0.5
FUSED = ("torch.optim.Adam", "torch.optim.AdamW", "torch.optim.SGD", "torch.optim.Adagrad")
RULES_IT_OUT = frozenset({"fused", "foreach", "capturable", "differentiable"})


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for call in file.calls():
        if not call.is_of(*FUSED) or call.passes_unseen or RULES_IT_OUT & {*call.keywords}:
            continue
        edit = add_keyword(call.file_text, *call.span, "fused", "True")
        if edit is not None:
            yield Offer("update all parameters in one kernel", call.location.line, (edit,))
