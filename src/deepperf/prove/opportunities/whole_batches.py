"""A batch of rows is taken from tensors at once, and not put together row by row."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import argument_text, remove_keyword, replace_argument
from deepperf.prove.offer import Machine, Offer, Part, Quantity, spelled
from deepperf.records import Edit
from deepperf.semantics.query import Call, File

QUANTITY = Quantity.CPU
TOUCHES = Part.LOADING
SAVES = 0.7
LOADER, ROWS = "torch.utils.data.DataLoader", "torch.utils.data.TensorDataset"
LEFT_OUT = ("shuffle", "drop_last")
UNDERSTOOD = frozenset((*LEFT_OUT, "batch_size", "num_workers", "pin_memory"))


def offers(file: File, _: Machine) -> Iterator[Offer]:
    number = 0
    for call in file.calls():
        if call.is_of(LOADER) and UNDERSTOOD.issuperset(call.keywords):
            edits = _edits(file, call, number)
            if edits:
                number += 1
                yield Offer("take whole batches of rows", call.location.line, edits)


def _edits(file: File, call: Call, number: int) -> tuple[Edit, ...]:
    """The same rows in the same order; none where it is not sure which these are."""
    said = len(call.arguments) - len(call.keywords)
    given = call.arguments[0] if said == 1 and not call.passes_unseen else None
    if given is None or given.is_unknown or ROWS not in given.types or "rows_" in file.text:
        return ()
    place, shuffled = (call.file_text, *call.span), call.argument("shuffle")
    if shuffled is not None and not isinstance(shuffled.constant, bool):
        return ()
    order = "RandomSampler" if shuffled is not None and shuffled.constant else "SequentialSampler"
    package = LOADER.rpartition(".")[0]
    batches, imports = spelled(file, f"{package}.BatchSampler")
    sampler, more = spelled(file, f"{package}.{order}")
    # What makes the rows is not to do so twice.
    first = replace_argument(*place, 0, "")
    if first is None:
        return ()
    written = file.text[first.start : first.end]
    name = written if written.isidentifier() else f"rows_{number}"
    named = () if name == written else (Edit(first.start, first.start, f"{name} := "),)
    size, drop = argument_text(*place, "batch_size"), argument_text(*place, "drop_last") or "False"
    value = f"None, sampler={batches}({sampler}({name}), {size}, {drop})"
    edits = [replace_argument(*place, "batch_size", value)]
    edits += [remove_keyword(*place, one) for one in LEFT_OUT if one in call.keywords]
    if not batches or not sampler or None in edits:
        return ()
    return *named, *(edit for edit in edits if edit is not None), *imports, *more
