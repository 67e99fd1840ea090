"""A list or an array is searched from its start in every iteration, where a set would be asked."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import Call, Dependence, Kind, Loop, LoopKind, Value, Written

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("numpy", "torch"),
)
_SHORT = frozenset((LoopKind.PARAMETER, LoopKind.LAYER, LoopKind.FEW))
_LISTS = frozenset(("builtins.list", "builtins.sorted"))
_READS = (Trait.LOADS_ARRAY, Trait.READS_FILE, Trait.READS_TABLE)
_SEARCHES = ("In", "NotIn")
_WHETHER = """\
known = set({name})  # once; all in it has to be hashable
{header}:
    is_known = {sought} in known"""
_WHERE = """\
places = {{one: at for at, one in reversed([*enumerate({name})])}}  # once
{header}:
    at = places[{sought}]"""


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    if loop.is_short or loop.kind in _SHORT:
        return
    found = [one for one in _searched(loop) if _is_slow(*one[1:], loop)]
    if found:
        (first, sought, held), *others = found
        at, name = first.call or first, held.variable or held.text
        yield rule.finding(
            at,
            f"`{first.text}` goes through `{name}` from its start in every iteration of"
            f" `{loop.header}`",
            f"make a set, or a dict of places, of `{name}` before the loop, and ask that",
            framework=at.framework if at.framework == "torch" else "numpy",
            related=tuple([one.step("so does this") for one, *_ in others]),
            sketch=_sketch(loop, first, sought, name),
            estimate=0.005,
        )


def _sketch(loop: Loop, search: Value, sought: Value, name: str) -> str:
    """A set is asked whether something is there, a dict where its first one is."""
    shown = _WHETHER if search.kind is Kind.COMPARE else _WHERE
    each = sought.text if sought.text.isidentifier() else "each"
    header = f"for {each} in ..." if loop.is_comprehension else loop.header
    return shown.format(name=name, header=header, sought=sought.text)


def _searched(loop: Loop) -> Iterator[tuple[Value, Value, Value]]:
    """What searches, for what, and where."""
    for test in loop.values(Kind.COMPARE):
        if len(test.operands) == 2 and test.data[0] in _SEARCHES:
            yield test, *test.operands
    for call in loop.calls():
        if call.receiver is not None and call.arguments and call.may_have(Trait.SEARCHES_LIST):
            yield call.result, call.arguments[0], call.receiver


def _is_slow(sought: Value, held: Value, loop: Loop) -> bool:
    """Whether each iteration looks for something else in a long list that nothing changes."""
    if loop.contains(held) and held.dependence(loop) is not Dependence.INVARIANT:
        return False
    if sought.dependence(loop) is Dependence.INVARIANT or sought.may_be_array:
        return False
    if _is_asked_by_key(held, sought, loop):
        return False
    is_innermost = all(not inner.contains(sought) for inner in _inside(loop))
    return is_innermost and _is_long(held) and loop.writes_to(held) is Written.NOT


def _is_asked_by_key(held: Value, sought: Value, loop: Loop) -> bool:
    """Whether it is a mapping: the loop takes out of it what is kept under what was sought."""
    return any(
        item.operands[0].text == held.text and item.operands[1] == sought
        for item in loop.values(Kind.ITEM)
    )


def _inside(loop: Loop) -> Iterator[Loop]:
    for other in loop.function.loops():
        if other != loop and loop in other.outer:
            yield other


def _is_long(held: Value) -> bool:
    """Whether it is a list or an array of data, as far as what makes it tells, and no set."""
    if held.is_numpy:
        return not any(_is_written_out(call) for call in held.makers)
    kept = held.operands[0].contents if held.kind is Kind.ITEM else ()
    made = [*held.makers, *[one.call for one in kept if one.call is not None]]
    return bool(made) and all(c.may_have(Trait.GIVES_LIST) or _lists_file(c) for c in made)


def _lists_file(call: Call) -> bool:
    """Whether it makes a list of all that was read from a file."""
    if not call.callee.names or not call.callee.names <= _LISTS or not call.arguments:
        return False
    read = call.arguments[0].makers
    return bool(read) and all(one.has(*_READS) for one in read)


def _is_written_out(call: Call) -> bool:
    """Whether an array is made of a list that stands in the text."""
    return any(one.kind in (Kind.LIST, Kind.TUPLE) for one in call.arguments)
