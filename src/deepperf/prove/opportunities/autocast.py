"""The forward pass computes in bfloat16 where that is safe."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import put_under
from deepperf.knowledge.schema import Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity, spelled, step_loops
from deepperf.semantics.query import File

QUANTITY = Quantity.CPU
TOUCHES = Part.MODEL
SAVES = 0.1


def offers(file: File, machine: Machine) -> Iterator[Offer]:
    text = file.text
    manager, imports = spelled(file, "torch.autocast")
    half, _ = spelled(file, "torch.bfloat16")
    if file.mentions("autocast") or not manager:
        return
    device = "cuda" if machine.accelerators else "cpu"
    for loop in step_loops(file):
        models = [call for call in loop.calls() if "torch.nn.Module" in call.callee.types]
        backward = next((call for call in loop.calls() if call.has(Trait.BACKPROPAGATES)), None)
        if not models or backward is None or models[0].span[0] > backward.span[0]:
            continue
        last = _end_before(text, backward.span[0])
        context = f'with {manager}("{device}", dtype={half})'
        edits = put_under(text, models[0].span[0], last, context)
        if edits is not None:
            title = "compute the forward pass in bfloat16"
            yield Offer(title, models[0].location.line, (*edits, *imports))


def _end_before(text: str, start: int) -> int:
    """The last character in front of the line on which something begins."""
    return len(text[: text.rfind("\n", 0, start) + 1].rstrip()) - 1
