"""Lists of an object grow in hooks of each epoch, and nothing ever clears them."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.statements import insert_behind
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call, each_file
from deepperf.semantics.query import Call, File, Guard, Kind, Value

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("memory-leak", "increasing-time"),
    stage="evaluation",
    level=Level.NOTE,
    frameworks=("torch",),
)

_OFTEN = frozenset(("step", "batch"))
_DISPLAYS = frozenset((Kind.DICT, Kind.LIST, Kind.TUPLE))
_JOINING = (Trait.JOINS, Trait.GROWS)


@each_call(Trait.KEEPS_ARGUMENT)
def check(call: Call) -> Iterator[Finding]:
    holder, kept = call.receiver, call.arguments[-1:]
    if holder is None or holder.kind is not Kind.ATTRIBUTE or not any(map(_may_hold_arrays, kept)):
        return
    often = call.runs_for
    if not _OFTEN & often or call.runs_seldom or call.guard() is not Guard.UNKNOWN:
        return
    # Of what is kept for good, all is joined again each time: then it is a result of one epoch.
    uses = _uses(holder)
    joined = [join for use in uses if (join := _joined(use)) is not None]
    if joined and "epoch" in joined[0].runs_for and not any(_is_let_go(use) for use in uses):
        yield rule.finding(
            call,
            f"`{holder.source}` is never cleared: each epoch keeps the results of those before it",
            f"clear it where it is joined: `{holder.source}.clear()`",
            fix=_fix(joined, holder, uses) if joined[0].path == call.path else None,
            framework="torch",
            related=(joined[0].step("each epoch joins the results of all epochs so far"),),
            estimate=0.1,
        )


@each_file
def check_repeated(file: File) -> Iterator[Finding]:
    for call in file.calls() if file.project_mentions("cycle") else ():
        if "itertools.cycle" not in call.callee.names or not call.arguments:
            continue
        loader = call.arguments[0]
        if Trait.LOADS_BATCHES in loader.class_traits:
            yield rule.finding(
                call,
                f"`{call.name}` keeps every batch of the loader in memory, and gives the same"
                " ones, in the same order, in every later epoch",
                "write a generator: `while True: yield from loader`",
                framework="torch",
                estimate=0.1,
            )


def _may_hold_arrays(kept: Value) -> bool:
    """Whether it may be an array, or is a dict, list or tuple with one."""
    parts = kept.operands if kept.kind in _DISPLAYS else (kept,)
    return any(part.is_array is not False for part in parts)


def _fix(joined: list[Call], holder: Value, uses: list[Value]) -> Fix | None:
    """Clear it behind the last join, if all joins stand in one block and nothing reads it later."""
    join = max(joined, key=lambda one: one.place[2])
    if len({(one.place[:2], one.op.region) for one in joined}) > 1:
        return None
    if any(use.place[:2] == join.place[:2] and use.place[2] > join.place[2] for use in uses):
        return None
    edit = insert_behind(join.file_text, *join.span, [f"{holder.source}.clear()"])
    return Fix("clear it once it is joined", (edit,), Safety.UNSAFE) if edit is not None else None


def _uses(holder: Value) -> list[Value]:
    """Where the file reads or sets the attribute, of whatever object."""
    kinds = (Kind.ATTRIBUTE, Kind.SET_ATTRIBUTE)
    functions = holder.file.functions()
    return [
        value
        for function in functions
        for value in function.values(*kinds)
        if value.data == holder.data
    ]


def _joined(use: Value) -> Call | None:
    users = [*use.users, *[user for made in _collected(use) for user in made.users]]
    return next((one.call for one in users if one.call and one.call.has(*_JOINING)), None)


def _collected(use: Value) -> Iterator[Value]:
    """The lists that comprehensions make of it: `[one["scores"] for one in self.kept]`."""
    for loop in use.function.loops():
        if loop.is_comprehension and loop.iterable == use:
            for made in use.function.values(Kind.COLLECT):
                if loop.contains(made.operands[-1]):
                    yield made


def _is_let_go(use: Value) -> bool:
    """Whether the list is emptied, made anew outside of the constructor, or handed on."""
    if use.kind is Kind.SET_ATTRIBUTE:
        return use.function.name != "__init__"
    for user in use.users:
        if user.kind in (Kind.DELETE, Kind.ITEM, Kind.SET_ITEM, Kind.RETURN, Kind.SET_ATTRIBUTE):
            return True
        if user.kind is Kind.ATTRIBUTE:
            called = [one.call for one in user.users if one.call]
            if any(one.has(Trait.CLEARS) or not one.facts for one in called):
                return True
    return False
