"""Workers are kept from epoch to epoch, not started anew for each."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.semantics.query import File

QUANTITY = Quantity.WALL
TOUCHES = Part.LOADING
SAVES = 0.3


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for call in file.calls(Trait.LOADS_BATCHES):
        workers = call.in_role(ParameterRole.PARALLELISM)
        if workers is None or workers.constant == 0 or call.passes_unseen:
            continue
        edit = add_keyword(call.file_text, *call.span, "persistent_workers", "True")
        if edit is not None:
            yield Offer("keep the workers from epoch to epoch", call.location.line, (edit,))
