"""Each sample pays for more than its own data: a whole table, a whole file, a deep copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.input_pipeline.costly_getitem.fixed import is_fixed
from deepperf.rules.rule import Rule, each_function
from deepperf.semantics.query import (
    Call,
    Cost,
    Function,
    Guard,
    Iteration,
    Kind,
    Value,
    Written,
    share,
)

rule = Rule(
    module=__name__,
    cause="inefficient-data-preprocessing",
    symptoms=("slow-execution", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.WARNING,
    frameworks=("torch",),
)


class _Costly(NamedTuple):
    way: tuple[Call | Value, ...]
    what: str
    remedy: str
    cost: Cost
    level: Level = Level.WARNING
    sketch: str = ""


_SLOW = (Trait.LOADS_SAMPLE, Trait.READS_FILE, Trait.DECODES, Trait.RESIZES)
"""Beside what a sample takes long for anyway, a row of a table is little."""
_HANDING_ON = frozenset(
    (Kind.RETURN, Kind.YIELD, Kind.DICT, Kind.LIST, Kind.TUPLE, Kind.SET_ITEM, Kind.SET_ATTRIBUTE)
)
_READ_ONCE = """\
# in `__init__`, once:
self.table = {read}
# in `{function}`, instead of `{read}`:
self.table
"""
_OPEN_ONCE = """\
# in `{function}`, instead of `{read}`:
if self.opened is None:  # set to None in `__init__`: each worker opens it for itself
    self.opened = {read}
self.opened
"""
_GROUP_ONCE = """\
# in `__init__`, once:
self.groups = dict([*{table}.groupby({column})])
# in `{function}`, instead of `{read}`:
self.groups[{key}]
"""


@each_function
def check(function: Function) -> Iterator[Finding]:
    if Trait.RUNS_EACH_ITEM not in function.traits:
        return
    groups: dict[str, list[_Costly]] = {}
    for costly in (*_reads(function), *_rows(function), *_copies(function), *_resamples(function)):
        groups.setdefault(costly.remedy, []).append(costly)
    for first, *others in groups.values():
        yield rule.finding(
            first.way[0],
            f"`{function.name}` {first.what} for each sample",
            first.remedy,
            path=tuple([at.step(f"`{at.text}`") for at in first.way[1:]]),
            framework="torch",
            level=first.level,
            sketch=first.sketch,
            related=tuple([other.way[0].step(f"it {other.what}, too") for other in others]),
            estimate=share(first.cost, 1, Iteration.ITEM),
        )


def _reads(function: Function) -> Iterator[_Costly]:
    seen: dict[str, Call] = {}
    for call in function.calls():
        for trait in (Trait.READS_TABLE, Trait.OPENS_HANDLE):
            way = call.way_to(trait)
            if not way or not way[-1].arguments or any(c.guard() > Guard.UNKNOWN for c in way):
                continue
            read, place = way[-1], way[-1].arguments[0]
            if is_fixed(place, way[:-1]):
                # A branch may be for what is asked of it seldom, such as a list of samples.
                is_chosen = any(one.is_conditional() for one in way)
                found = _read_again(way, trait, place)
                yield found._replace(level=Level.NOTE) if is_chosen else found
                break
            if trait is Trait.OPENS_HANDLE:
                continue
            before = seen.setdefault(place.source, read) if len(way) == 1 else read
            if before != read and before.op.region == read.op.region:
                remedy = "read it once, and take what is needed from the result"
                yield _Costly(way, f"reads `{place.text}` twice", remedy, Cost.READ_FILE)
            elif _is_sliced(read):
                yield _sliced(way)


def _read_again(way: tuple[Call, ...], trait: Trait, place: Value) -> _Costly:
    names = {"read": way[-1].text, "function": way[0].function.name}
    if trait is Trait.READS_TABLE:
        remedy = "read it once in `__init__`, or on first use in each worker, and keep it"
        what = f"reads all of `{place.text}` again"
        sketch = _READ_ONCE.format(**names)
        return _Costly(way, what, remedy, Cost.READ_TABLE, sketch=sketch)
    is_plain = not way[-1].has(Trait.TAKES_LONG_TO_OPEN)
    remedy = "open it on first use in each worker, and keep it open"
    level = Level.NOTE if is_plain else Level.WARNING
    what, sketch = f"opens `{place.text}` again", _OPEN_ONCE.format(**names)
    return _Costly(way, what, remedy, Cost.READ_FILE, level, sketch)


def _is_sliced(read: Call) -> bool:
    """Whether a part is all that is taken of a file that could be mapped."""
    roles = {parameter.role for fact in read.facts for parameter in fact.parameters}
    if ParameterRole.MAPPED not in roles or read.in_role(ParameterRole.MAPPED) is not None:
        return False
    users = [user for user in read.result.users if user.kind is not Kind.ATTRIBUTE]
    return bool(users) and all(user.kind is Kind.ITEM and _is_part(user) for user in users)


def _is_part(item: Value) -> bool:
    index = item.operands[1]
    if index.kind is Kind.SLICE:
        return not index.operands[0].is_missing
    return index.python_type != "str" and index.kind in (Kind.NAME, Kind.PARAMETER, Kind.CONSTANT)


def _sliced(way: tuple[Call, ...]) -> _Costly:
    read = way[-1]
    facts = [(f.framework, p) for f in read.facts for p in f.parameters]
    name = next(p.name for _, p in facts if p.role is ParameterRole.MAPPED)
    value = "True" if name == "mmap" else '"r"'
    what = f"reads the whole file with `{read.name}` and uses a part of it"
    return _Costly(way, what, f"pass `{name}={value}`: only the part is read", Cost.READ_TABLE)


def _rows(function: Function) -> Iterator[_Costly]:
    filter_remedy = "group the rows once in `__init__` (`dict(list(table.groupby(column)))`)"
    index_remedy = "turn the columns into lists or arrays in `__init__`, and index those"
    is_slow_anyway = any(function.reaches(trait) for trait in _SLOW)
    for item in function.values(Kind.ITEM):
        table, index = item.operands
        if item.runs_seldom:
            continue
        if index.kind is Kind.COMPARE and _is_of_table(table, index):
            what = f"goes through all rows of `{table.text}`"
            sketch = _grouped(item, function)
            level = Level.NOTE if is_slow_anyway else Level.WARNING
            yield _Costly((item,), what, filter_remedy, Cost.ROW_OF_TABLE, level, sketch)
        elif Trait.INDEXES_ROWS in table.traits and not is_slow_anyway:
            what = f"makes an object of a row with `{item.text}`"
            yield _Costly((item,), what, index_remedy, Cost.ROW_OF_TABLE, Level.NOTE)


def _grouped(item: Value, function: Function) -> str:
    column, key = item.operands[1].operands[:2]
    return _GROUP_ONCE.format(
        table=column.operands[0].source,
        column=column.operands[1].source if column.kind is Kind.ITEM else repr(column.data),
        key=key.source,
        read=item.text,
        function=function.name,
    )


def _is_of_table(table: Value, test: Value) -> bool:
    """Whether a test compares a column of a table, so that it is a mask of its rows."""
    column = test.operands[0]
    if column.kind not in (Kind.ITEM, Kind.ATTRIBUTE):
        return False
    owner = column.operands[0].source
    named = column.kind is Kind.ATTRIBUTE or column.operands[1].python_type == "str"
    return named and table.source in (owner, f"{owner}.loc")


def _copies(function: Function) -> Iterator[_Costly]:
    for call in function.calls(Trait.COPIES_ALL):
        if call.arguments and call.guard() is Guard.UNKNOWN and not _is_needed(call):
            level = Level.WARNING if is_fixed(call.arguments[0], ()) else Level.NOTE
            what = f"copies `{call.arguments[0].text}` with all that it holds"
            remedy = "copy only what is changed: `dict(sample)`, `array.copy()`"
            yield _Costly((call,), what, remedy, Cost.DEEP_COPY, level)


def _is_needed(copied: Call) -> bool:
    """Whether what lies in the copy is changed, or may be by whoever is handed it."""
    if copied.function.writes_below(copied.result) is not Written.NOT:
        return True
    result = copied.result
    if any(one.kind is Kind.SET_ITEM and one.operands[0] == result for one in result.users):
        return False
    return any(one.kind in _HANDING_ON or _is_kept_by(one) for one in result.readers)


def _is_kept_by(user: Value) -> bool:
    """Whether a list or dict takes it, for others."""
    taking = user.call
    kinds = ("dict", "list", "tuple")
    return taking is not None and (
        taking.has(Trait.KEEPS_ARGUMENT) or taking.result.python_type in kinds
    )


def _resamples(function: Function) -> Iterator[_Costly]:
    remedy = (
        "resample the files once, before the training; what has to be resampled anew, with"
        " `torch.nn.functional.interpolate` or `cv2.resize`"
    )
    for call in function.calls():
        way = call.way_to(Trait.RESAMPLES)
        # Where the rate is asked for first, most files may have it already.
        if way and not any(one.is_conditional() for one in way) and _is_same_each_time(way[-1]):
            what = f"resamples with `{way[-1].name}`"
            yield _Costly(way, what, remedy, Cost.DEEP_COPY, Level.NOTE)


def _is_same_each_time(call: Call) -> bool:
    """Whether the rate, or the size, is none that is drawn."""
    made = [one for given in call.arguments[1:] for one in given.makers]
    return not any(one.has(Trait.RANDOM) for one in made)
