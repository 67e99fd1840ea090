"""A model is asked for one batch without all that `predict` sets up for many."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import argument_text, remove_keyword, replace_argument
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.records import Edit
from deepperf.semantics.query import Call, File, Kind

QUANTITY = Quantity.CPU
TOUCHES = Part.HERE
SAVES = 0.5
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
    """None for a call that says more than what to predict: on batches, nothing else is obeyed.

    Of what gives batches, one step is its first batch.
    """
    where = call.file_text, *call.span
    said = len(call.arguments) - len(call.keywords)
    if call.passes_unseen or said != 1 or not {"verbose", "steps"}.issuperset(call.keywords):
        return ()
    edits = [remove_keyword(*where, name) for name in call.keywords]
    steps = next((value for name, value in call.written_arguments if name == "steps="), None)
    if steps is not None:
        if steps.constant != 1:
            return ()
        batches = argument_text(*where, 0)
        edits.append(replace_argument(*where, 0, f"next(iter({batches}))"))
    end = call.callee.span[1]
    edits.append(Edit(end - len(OLD.rpartition(".")[2]), end, NEW))
    return tuple(edit for edit in edits if edit is not None)
