"""A whole data set is made a tensor or a variable, and trained on."""

from __future__ import annotations

import math
from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, on_call
from deepperf.semantics.view import Call, Expression

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("out-of-memory", "abnormal-gpu-memory"),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow", "keras"),
)
FEW = 500_000
"""Numbers that no device minds to hold."""


@on_call(Trait.FITS)
def check(call: Call) -> Iterator[Finding]:
    data = call.argument(ParameterRole.INPUT)
    if data is None or not data.is_tensor or _is_small(data):
        return
    tensors = (origin for origin in data.origins() if origin.has(Trait.MAKES_TENSOR))
    made = next((tensor for tensor in tensors if not _is_of_little(tensor)), None)
    if made is None:
        return
    is_variable = made.result.is_variable
    kind = "a variable" if is_variable else "a tensor"
    own = "PyDataset" if call.file.reaches("keras", "3.0") else "Sequence"
    yield rule.finding(
        call,
        f"`{call.called}` gets `{data.quoted}`, which `{made.called}` made {kind}: the whole "
        "data set has to fit into device memory",
        "pass the NumPy array, so that only each step's batch is copied to the device, or pass "
        f"batches: a `{own}`, a generator or a batched `tf.data.Dataset`",
        level=rule.level if is_variable else Level.NOTE,
    )


def _is_small(data: Expression) -> bool:
    sizes = data.sizes
    return sizes is not None and None not in sizes and math.prod(n or 0 for n in sizes) <= FEW


def _is_of_little(made: Call) -> bool:
    """Whether the tensor is made of numbers that stand in the program."""
    if not made.arguments:
        return True
    given = made.arguments[0]
    return given.literal is not None or given.is_written_out or _is_small(given)
