"""A model is asked for one batch without all that `predict` sets up for many."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import remove_keyword
from deepperf.prove.offer import Machine, Offer, Quantity
from deepperf.records import Edit
from deepperf.semantics.query import Call, File, Kind

QUANTITY = Quantity.CPU
EXPECTED = 0.4
OLD, NEW = "keras.Model.predict", "predict_on_batch"


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for call in file.calls():
        if call.is_of(OLD) and call.callee.kind is Kind.ATTRIBUTE and _is_repeated(call):
            edits = _edits(call)
            if edits:
                yield Offer("predict without the loop around it", call.location.line, edits)


def _is_repeated(call: Call) -> bool:
    return bool(call.loops) or any(caller.loops for caller in call.function.callers())


def _edits(call: Call) -> tuple[Edit, ...]:
    """None for a call that says more than what to predict: on batches, nothing else is obeyed."""
    said = len(call.arguments) - len(call.keywords)
    if call.passes_unseen or said != 1 or not {"verbose"}.issuperset(call.keywords):
        return ()
    edits = [remove_keyword(call.file_text, *call.span, name) for name in call.keywords]
    end = call.callee.span[1]
    edits.append(Edit(end - len(OLD.rpartition(".")[2]), end, NEW))
    return tuple(edit for edit in edits if edit is not None)
