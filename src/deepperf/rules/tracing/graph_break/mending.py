"""Two ways to keep a graph whole: a branch is written as a choice, and printing is left out."""

from __future__ import annotations

from collections.abc import Sequence

from deepperf.fixes.branches import chosen
from deepperf.fixes.imports import spell
from deepperf.fixes.statements import put_under
from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Fix, Safety
from deepperf.rules.tracing.graph_break.breaks import Break
from deepperf.semantics.query import Call, Function, Value

CHOOSE, ASK = "torch.where", "torch.compiler.is_compiling"
_KEEPING = (Trait.ELEMENTWISE, Trait.KEEPS_SHAPE)
"""What gives an array that is shaped as the one that it is given, and has no effects."""


def fix(function: Function, found: Sequence[Break]) -> Fix | None:
    """What mends those of some breaks in a function that can be mended without its callers.

    Both arms of a branch are computed then, and what is printed is printed only eagerly.
    """
    edits: list[Edit] = []
    titles: list[str] = []
    for one in found:
        if isinstance(one.at, Value):
            mended, title = _as_choice(function, one.at), f"choose with `{CHOOSE}`"
        else:
            mended, title = _only_eagerly(one.at), "print only where nothing is compiled"
        if mended:
            edits += mended
            titles.append(title)
    phrases = " and ".join(dict.fromkeys(titles))
    return Fix(phrases, tuple(dict.fromkeys(edits)), Safety.UNSAFE) if edits else None


def _as_choice(function: Function, test: Value) -> Sequence[Edit]:
    text = function.file_text
    spelling = spell(text, CHOOSE)
    made = chosen(text, *test.span, spelling.text) if spelling and test.is_mask else None
    if spelling is None or made is None:
        return ()
    for call in function.calls():
        start, end = call.span
        inside = any(arm[0] <= start and end <= arm[1] for arm in made.arms)
        if inside and not any(call.may_have(trait) for trait in _KEEPING):
            return ()
    return (made.edit, *spelling.edits)


def _only_eagerly(call: Call) -> Sequence[Edit]:
    # A result that is used is no statement of its own.
    if not call.has(Trait.PRINTS) or call.result.users:
        return ()
    spelling = spell(call.file_text, ASK)
    if spelling is None:
        return ()
    start, end = call.span
    edits = put_under(call.file_text, start, end - 1, f"if not {spelling.text}()")
    return (*edits, *spelling.edits) if edits else ()
