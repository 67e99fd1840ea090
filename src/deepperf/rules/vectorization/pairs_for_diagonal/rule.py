"""All pairs are computed, and only those of equal numbers are read."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Function, Kind, Value

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("slow-execution", "out-of-memory"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)

_DEEPEST = 3


@each_call(Trait.TAKES_DIAGONAL)
def check_call(call: Call) -> Iterator[Finding]:
    for value in (call.receiver, *call.arguments[:1]):
        if value is None or len(value.readers) > 1:
            continue
        pairs = _pairs(value)
        if pairs:
            yield rule.finding(
                call,
                f"`{value.text}` computes all pairs, and `{call.name}` reads one in each row",
                pairs,
                fix=_fix(call, value),
                estimate=0.05,
            )
            return


def _fix(call: Call, matrix: Value) -> Fix | None:
    """The products of rows, where both factors are plain names and the call reads them itself."""
    product = matrix.product
    if product is None or not call.encloses(matrix):
        return None
    one, other, _ = product
    name = other.operands[0] if other.kind is Kind.ATTRIBUTE else None
    if name is None or not (one.source.isidentifier() and name.source.isidentifier()):
        return None
    edit = Edit(*call.span, f"({one.source} * {name.source}).sum(-1)")
    return Fix("multiply row by row", (edit,), Safety.UNSAFE)


def _pairs(value: Value) -> str:
    """What to write instead of a matrix of all pairs; "" for any other value."""
    product = value.product
    if product is not None:
        # A product with a vector is no matrix, and the diagonal of one no part of it.
        return "`(a * b).sum(-1)` is the diagonal of `a @ b.T`" if product.is_transposed else ""
    call = value.call
    if call is None:
        return ""
    if call.has(Trait.COMPARES_PAIRS) or any(_broadcasts(f, _DEEPEST) for f in call.runs):
        return "compare row by row: the same formula without the axis that makes it all pairs"
    return ""


def _broadcasts(function: Function, depth: int) -> bool:
    """Whether it compares each row of one parameter with each of another by a further axis."""
    inserted = {
        value.operands[0]
        for value in function.values(Kind.ITEM)
        if value.operands[0].kind is Kind.PARAMETER and _inserts_axis(value.operands[1])
    }
    if inserted and len(function.parameters) > 1:
        return True
    inner = (f for call in function.calls() for f in call.runs)
    return depth > 0 and any(_broadcasts(f, depth - 1) for f in inner)


def _inserts_axis(index: Value) -> bool:
    return index.kind is Kind.TUPLE and any(part.constant is None for part in index.operands)
