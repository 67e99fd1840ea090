"""Every text of a training is padded to the longest that the model takes."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import replace_argument
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import MISSING, Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="improper-model-parameter",
    symptoms=("slow-execution", "abnormal-gpu-memory"),
    stage="training",
    level=Level.NOTE,
    frameworks=("transformers",),
)

_SHORT = 128
_LONG = 256
_IDS, _MASK, _MOVES = "input_ids", "attention_mask", "to"
_ONE_SHAPE = ("jax", "flax", "torch_xla", "onnx", "tensorrt", "coremltools", "optimum")
"""What these compile has one shape."""


@each_call(Trait.TOKENIZES)
def check(call: Call) -> Iterator[Finding]:
    padding = call.argument("padding")
    if padding is None or padding.literal != "max_length":
        return
    if call.framework == "jax" or any(call.file.mentions(word) for word in _ONE_SHAPE):
        return
    if call.program.naming("diffusers"):
        return  # the text encoders of diffusion models know texts of one length
    if Trait.ONE_LENGTH in call.callee.class_traits or not _is_for_training(call):
        return
    length = call.argument("max_length")
    known = length.literal if length is not None else None
    if isinstance(known, int) and known <= _SHORT:
        return
    is_long = length is None or (isinstance(known, int) and known >= _LONG)
    yield rule.finding(
        call,
        f"`{call.name}` pads every text to `max_length`, however short the others of its batch are",
        "leave padding to the batch: `DataCollatorWithPadding`, or `padding=True` in the collate"
        " function; sort by length (`group_by_length=True`)",
        fix=_fix(call) if _is_given_batch(call) and _is_told_apart(call.result) else None,
        framework="transformers",
        estimate=0.3 if is_long else 0.05,
    )


def _is_for_training(call: Call) -> bool:
    function = call.function
    if call.runs_for & {"item", "step"}:
        return True
    return any(caller.has(Trait.MAPS_SAMPLES, Trait.LOADS_BATCHES) for caller in function.callers())


def _is_told_apart(encoded: Value) -> bool:
    """Whether a model may learn which tokens are padding: it may be given all, or the mask.

    A model that is given the tokens alone takes padding for text: less of it is another text.
    """
    return not encoded.readers or any(_tells_apart(read) for read in encoded.readers)


def _tells_apart(read: Value) -> bool:
    if read.kind is Kind.ITEM:
        return read.operands[1].constant in (MISSING, _MASK)
    if read.kind is not Kind.ATTRIBUTE:
        return True
    if read.data == _MOVES:
        return any(_is_told_apart(call) for call in read.users)
    return bool(read.data != _IDS)


def _is_given_batch(call: Call) -> bool:
    if "step" in call.runs_for:
        return True
    return any(caller.has(Trait.LOADS_BATCHES) for caller in call.function.callers())


def _fix(call: Call) -> Fix | None:
    text, (start, end) = call.file.text, call.span
    edit = replace_argument(text, start, end, "padding", "True")
    return None if edit is None else Fix("pad to the batch's longest", (edit,), Safety.UNSAFE)
