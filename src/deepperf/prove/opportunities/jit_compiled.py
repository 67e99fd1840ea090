"""XLA compiles what is a graph already: fused kernels, fewer passes over memory."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.knowledge.schema import Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.records import Edit
from deepperf.semantics.query import File, Function, Value

QUANTITY = Quantity.STEP
TOUCHES = Part.MODEL
SAVES = 0.12
FUNCTION, COMPILE = "tensorflow.function", "keras.Model.compile"
OPTION = "jit_compile"


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for function in file.functions():
        for decorator in function.decorators:
            edit = _edit(decorator) if any(function.calls(Trait.RECORDS_GRADIENT)) else None
            if edit is not None:
                yield Offer(_title(function), function.location.line, (edit,))
    for call in file.calls():
        if call.is_of(COMPILE) and not call.passes_unseen:
            edit = add_keyword(file.text, *call.span, OPTION, "True")
            if edit is not None:
                yield Offer("have XLA compile the training step", call.location.line, (edit,))


def _title(function: Function) -> str:
    return f"have XLA compile `{function.name}`"


def _edit(decorator: Value) -> Edit | None:
    if FUNCTION in decorator.names:
        end = decorator.span[1]
        return Edit(end, end, f"({OPTION}=True)")
    call = decorator.call
    if call is None or not call.is_of(FUNCTION):
        return None
    return add_keyword(call.file_text, *call.span, OPTION, "True")
