"""Batches are made by worker processes while the model works on the ones before."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword, replace_argument
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.semantics.query import File

QUANTITY = Quantity.WALL
TOUCHES = Part.LOADING
SAVES = 0.6
MOST_WORKERS = 4


def offers(file: File, machine: Machine) -> Iterator[Offer]:
    workers = str(max(1, min(MOST_WORKERS, machine.cores - 1)))
    for call in file.calls(Trait.LOADS_BATCHES):
        given = call.in_role(ParameterRole.PARALLELISM)
        if call.passes_unseen or (given is not None and given.constant != 0):
            continue
        where = call.file_text, *call.span
        edits = (
            replace_argument(*where, "num_workers", workers)
            or add_keyword(*where, "num_workers", workers),
        )
        if edits[0] is not None:
            title = f"make batches in {workers} worker process{'es' if workers != '1' else ''}"
            yield Offer(title, call.location.line, (edits[0],))
