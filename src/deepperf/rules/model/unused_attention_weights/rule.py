"""Attention weights are computed, averaged over the heads, and thrown away."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution", "out-of-memory"),
    stage="model-building",
    level=Level.NOTE,
    frameworks=("torch",),
)

_WEIGHTS = "need_weights"
_POSITION = 4


@each_call(Trait.ATTENDS)
def check_call(call: Call) -> Iterator[Finding]:
    # A function that attends gives no weights; a layer does unless it is told otherwise.
    if not call.has(Trait.RUNS_MODULE) or call.passes_unseen:
        return
    # A fused layer of another library, which may stand in its place, stores none.
    if call.callee.is_unknown or not call.surely_has(Trait.ATTENDS):
        return
    if call.argument(_WEIGHTS, _POSITION) is not None or not _drops_weights(call.result):
        return
    yield rule.finding(
        call,
        f"`{call.name}` computes the weights of all pairs, and they are thrown away",
        "pass `need_weights=False`: the layer may then use a fused kernel that never stores them",
        fix=_fix(call),
        estimate=0.005,
    )


def _drops_weights(result: Value) -> bool:
    """Whether nothing but the first part of a pair is read."""
    parts = result.readers
    if not parts or any(part.kind not in (Kind.PART, Kind.ITEM) for part in parts):
        return False
    return all(_is_first(part) or not part.readers for part in parts)


def _is_first(part: Value) -> bool:
    place = part.data if part.kind is Kind.PART else part.operands[1].constant
    return bool(place == 0)


def _fix(call: Call) -> Fix | None:
    edit = add_keyword(call.file.text, *call.span, _WEIGHTS, "False")
    return Fix("ask for no weights", (edit,), Safety.UNSAFE) if edit is not None else None
