"""Workers are kept from epoch to epoch, not started anew for each."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword, argument_text
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.semantics.query import Call, File, Value

QUANTITY = Quantity.WALL
TOUCHES = Part.LOADING
SAVES = 0.3


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for call in file.calls(Trait.LOADS_BATCHES):
        workers = call.in_role(ParameterRole.PARALLELISM)
        if workers is None or workers.constant == 0 or call.passes_unseen:
            continue
        kept = _kept(call, workers)
        edit = add_keyword(call.file_text, *call.span, "persistent_workers", kept) if kept else None
        if edit is not None:
            yield Offer("keep the workers from epoch to epoch", call.location.line, (edit,))


def _kept(call: Call, workers: Value) -> str:
    """When to keep them, as code: PyTorch refuses to without workers. "" if nothing says it."""
    if isinstance(workers.constant, int):
        return "True"
    for name in call.keywords:
        if call.argument(name) == workers:
            written = argument_text(call.file_text, *call.span, name) or ""
            return f"{written} > 0" if written.replace(".", "_").isidentifier() else ""
    return ""
