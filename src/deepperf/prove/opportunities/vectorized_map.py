"""A function that is mapped over slices one by one runs on all of them at once."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import remove_keyword
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.records import Edit
from deepperf.semantics.query import Call, File, Kind

QUANTITY = Quantity.CPU
TOUCHES = Part.MODEL
SAVES = 0.3
OLD, NEW = "tensorflow.map_fn", "vectorized_map"
LEFT_OUT = frozenset(
    ("dtype", "fn_output_signature", "parallel_iterations", "back_prop", "swap_memory", "name",
     "infer_shape")
)  # fmt: skip
"""Arguments that say how a loop runs or what it gives, which here nobody has to know."""


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for call in file.calls():
        if call.is_of(OLD) and call.callee.kind is Kind.ATTRIBUTE:
            edits = _edits(call)
            if edits:
                yield Offer("map over all slices at once", call.location.line, edits)


def _edits(call: Call) -> tuple[Edit, ...]:
    said = len(call.arguments) - len(call.keywords)
    left_out = [name for name in call.keywords if name in LEFT_OUT]
    if call.passes_unseen or said > 2 or len(call.arguments) - len(left_out) != 2:
        return ()
    edits = [remove_keyword(call.file_text, *call.span, name) for name in left_out]
    end = call.callee.span[1]
    edits.append(Edit(end - len(OLD.rpartition(".")[2]), end, NEW))
    made = tuple(edit for edit in edits if edit is not None)
    return made if len(made) == len(edits) else ()
