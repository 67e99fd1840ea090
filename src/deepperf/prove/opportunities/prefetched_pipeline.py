"""A pipeline makes its next batch ready while the model works on the one before."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.records import Edit
from deepperf.semantics.query import Call, File

QUANTITY = Quantity.WALL
TOUCHES = Part.LOADING
SAVES = 0.3
CHAINS = (Trait.CHAINS_DATASET, Trait.MAPS_ELEMENTS, Trait.BATCHES, Trait.PREFETCHES)
"""What makes of a dataset another one."""


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for call in file.calls(Trait.BATCHES):
        chain = [*_chain(call)]
        last = chain[-1]
        if last.framework != "tensorflow" or any(one.has(Trait.PREFETCHES) for one in chain):
            continue
        if not _next(last):
            end = last.span[1]
            yield Offer("make a batch ahead", last.location.line, (Edit(end, end, ".prefetch(1)"),))


def _chain(call: Call) -> Iterator[Call]:
    """A call, and those that make other datasets of what it gives, one behind the other."""
    yield call
    following = _next(call)
    while len(following) == 1:
        yield following[0]
        following = _next(following[0])


def _next(call: Call) -> list[Call]:
    """The calls of methods that make another dataset of what a call gives."""
    called = [user.call for method in call.result.users for user in method.users]
    own = [one for one in called if one is not None and one.has(*CHAINS)]
    return [one for one in own if one.callee in call.result.users]
