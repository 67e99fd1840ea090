"""What loops over tiny operations cost that are sent off one by one, and where that is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from deepperf.dynamic.diagnosis import (
    FLOOR,
    Diagnosis,
    own_share_in,
    share_of_seconds,
)
from deepperf.dynamic.program.branches import chosen_at
from deepperf.dynamic.program.loops import is_mapped_at
from deepperf.dynamic.program.operation_loops import (
    Case,
    Loop,
    Smell,
    Words,
    loops_of,
    smells,
)
from deepperf.dynamic.program.turns import (
    goes_over_what_is_read,
    in_loop,
    needs_last_turn,
    only_updates,
    picks_by_turn,
)
from deepperf.dynamic.recording.places import STANDARD
from deepperf.dynamic.recording.trace import Observation, Trace

FEWEST = 32
"""Elements that one line reads, among those heard: fewer are over in a moment."""
MAIN_WORK = 0.3
"""Part of a loop's time from which on a line is what the loop is there for."""
FEW_SAMPLES = 8
"""Samples below which they tell nothing of how a run's time is divided."""
MOST_FOR_ONE = 8
"""Operations that prepare the place and the value of one that is set."""
FOR_ALL = ("draw", "make", "update", "scalar", "branch", "eager")
"""Cases that need no slices: each turn does for itself what can be done for all."""

Place = tuple[str, int, str]

BESIDE = frozenset({STANDARD, "deepperf", "numpy"})
"""Packages that run between an operation and who asks for it."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a framework's operations are called, and what is told of the loops over them.

    `each` is how many seconds hearing of one took; `packages` are those that run them.
    """

    signal: str
    words: Words
    cases: Mapping[str, Case]
    each: float
    packages: frozenset[str]


def diagnoses(
    trace: Trace, dialect: Dialect, compiled: Mapping[tuple[str, int], float] = {}
) -> Iterator[Diagnosis]:
    """The loops in which tiny operations were heard, each for what it is a case of.

    `compiled` has the seconds that lines spent on compiling, which is done once.
    """
    heard = [
        seen
        for seen in trace.observations
        if seen.kind == dialect.signal and "kinds" in seen.detail
    ]
    for loop, lines in loops_of(heard):
        if _calls_models(lines):
            # What is done once for each batch is no loop over elements.
            continue
        for smell in _smells(dialect, loop, lines):
            if _can_be_joined(loop, smell):
                yield from _diagnosis(trace, dialect, compiled, loop, smell)


def _smells(dialect: Dialect, loop: Loop, lines: list[Observation]) -> Iterator[Smell]:
    choice = _branch(loop, lines)
    if choice is not None and "branch" in dialect.cases:
        yield choice
        return
    updates = dialect.words.updates
    stored = _without_storing(lines, dialect.words)
    told = [one for one in smells(loop, stored, dialect.words) if one.what in dialect.cases]
    told = told or list(_stores(stored) if "update" in dialect.cases and updates else ())
    yield from told
    # A line that reads an element for what is told of it already is told once.
    known = {seen.line for one in told for seen in one.lines}
    yield from (one for one in _scalars(lines) if one.lines[0].line not in known)


def _branch(loop: Loop, lines: Sequence[Observation]) -> Smell | None:
    """Elements that are read only to choose between formulas for each."""
    tests = [seen for seen in lines if seen.detail.get("tests", 0) >= FEWEST]
    if not tests or any(seen.detail["tests"] < seen.detail["scalars"] for seen in tests):
        return None
    headers = {chosen_at(seen.file, seen.line) for seen in tests}
    header = headers.pop()
    if headers or header is None or tests[0].file != loop.file:
        return None
    return Smell("branch", tuple(lines), header)


def _without_storing(lines: Sequence[Observation], words: Words) -> list[Observation]:
    """A line that does more than to set places, or stores what was drawn for them, only stores."""
    drawn = sum(_count(seen, words.draws) for seen in lines)
    kept = []
    for seen in lines:
        stored = _count(seen, words.updates)
        heard = seen.detail["heard"]
        only_stores = stored * 2 >= heard or stored + _count(seen, words.lookups) >= heard
        is_for_it = only_stores and drawn * 2 < stored
        if not stored or is_for_it:
            kept.append(seen)
            continue
        kinds: dict[str, int] = seen.detail["kinds"]
        rest = {kind: n for kind, n in kinds.items() if not kind.startswith(words.updates)}
        heard = max(1, heard - (stored if drawn else 0))
        detail = {**seen.detail, "kinds": rest or kinds, "stored": stored, "heard": heard}
        kept.append(replace(seen, detail=detail))
    return kept


def _count(seen: Observation, begins: tuple[str, ...]) -> int:
    kinds: dict[str, int] = seen.detail["kinds"]
    return sum(count for kind, count in kinds.items() if kind.startswith(begins))


def _calls_models(lines: Sequence[Observation]) -> bool:
    """Whether each turn runs modules, or goes backward; what reads files may call anything."""
    most = max(max(seen.detail["kinds"].values(), default=0) for seen in lines)
    most = max(most, *(seen.detail["scalars"] for seen in lines))
    return bool(sum(seen.detail["calls"] for seen in lines) * 2 >= most)


def _stores(lines: Sequence[Observation]) -> Iterable[Smell]:
    """Places that are set from single elements, which are no slices of anything."""
    for seen in lines:
        if seen.detail.get("stored", 0) >= max(FEWEST, seen.detail["heard"] / MOST_FOR_ONE):
            yield Smell("update", (seen,))


def _scalars(lines: Sequence[Observation]) -> Iterable[Smell]:
    for seen in lines:
        if seen.detail["scalars"] >= FEWEST and in_loop(seen.file, seen.line):
            yield Smell("scalar", (seen,))


def _in_loop(loop: Loop, seen: Observation) -> Place:
    """The line of a loop that runs an operation, or that calls what runs it."""
    own = (seen.file, seen.line, seen.function)
    called = [(file, line, function) for file, line, function in seen.detail.get("callers", ())]
    for file, line, function in (own, *called):
        if file == loop.file and loop.first <= line <= loop.last:
            return file, line, function
    return own


def _can_be_joined(loop: Loop, smell: Smell) -> bool:
    if smell.what == "eager":
        return True
    lines = {_in_loop(loop, seen)[:2] for seen in smell.lines}
    lines |= {(seen.file, seen.line) for seen in smell.lines}
    if smell.what == "update":
        return all(only_updates(*line) or not needs_last_turn(*line) for line in lines)
    if any(needs_last_turn(*line) for line in lines):
        return False
    return smell.what in FOR_ALL or any(picks_by_turn(*line) for line in lines)


def _diagnosis(
    trace: Trace,
    dialect: Dialect,
    compiled: Mapping[tuple[str, int], float],
    loop: Loop,
    smell: Smell,
) -> Iterable[Diagnosis]:
    lines = {(seen.file, seen.line): seen for seen in (*smell.lines, *smell.beside)}
    once = share_of_seconds(trace, sum(compiled.get(line, 0.0) for line in lines))
    headers = set(_headers(smell)) if smell.what == "scalar" else set()
    at = headers.union(lines)
    found = sum(own_share_in(trace, *line, dialect.packages) for line in at)
    # Few samples may all stand in one place by chance.
    sampled = found - once if found * trace.sampled >= FEW_SAMPLES else 0.0
    timed = share_of_seconds(trace, sum(seen.detail["seconds"] for seen in lines.values()))
    hearing = _of_hearing(trace, dialect, lines.values())
    share = max(sampled - hearing, timed)
    # A line that takes little of its loop's time is not what the loop is there for.
    whole = _share_of_loop(trace, compiled, loop)
    is_main = found - once >= MAIN_WORK * whole or timed >= MAIN_WORK * (whole - hearing)
    if share < FLOOR or not is_main:
        return
    what = "map" if smell.what == "slice" and is_mapped_at(loop.file, loop.first) else smell.what
    case = dialect.cases.get(what, dialect.cases[smell.what])
    file, line, function = _place(loop, smell)
    yield Diagnosis(
        signal=dialect.signal,
        cause=case.cause,
        file=file,
        line=line,
        function=function,
        message=case.message,
        evidence=_evidence(smell),
        remedy=case.remedy,
        share=min(1.0, share),
        rule=case.rule,
        is_general=not case.rule,
    )


def _headers(smell: Smell) -> Iterator[tuple[str, int]]:
    """Where loops begin that take the elements which are then read: each is made for that."""
    for seen in smell.lines:
        header = goes_over_what_is_read(seen.file, seen.line)
        if header:
            yield seen.file, header


def _place(loop: Loop, smell: Smell) -> Place:
    """Where it is to be changed: the loop, or its line that does the work or calls what does;
    of an array that is updated, where that is written."""
    first = smell.lines[0]
    if smell.header:
        return loop.file, smell.header, _in_loop(loop, first)[2]
    if smell.what == "update":
        return first.file, first.line, first.function
    return min(_in_loop(loop, seen) for seen in smell.lines)


def _share_of_loop(trace: Trace, compiled: Mapping[tuple[str, int], float], loop: Loop) -> float:
    """The share of the run that a loop took as far as samples tell; 0 where they are too few."""
    within = range(loop.first, loop.last + 1)
    taken: Counter[str] = Counter()
    for at in trace.samples:
        if at.file == loop.file and at.line in within:
            taken[at.function] += at.total
    # Before Python 3.12, a comprehension is a function that stands on the same line.
    most = max(taken.values(), default=0)
    if most < FEW_SAMPLES:
        return 0.0
    once = sum(compiled.get((loop.file, line), 0.0) for line in within)
    return most / trace.sampled - share_of_seconds(trace, once)


def _evidence(smell: Smell) -> str:
    seconds = sum(seen.detail["seconds"] for seen in smell.lines)
    if smell.what in ("scalar", "branch"):
        count = sum(seen.detail["scalars"] for seen in smell.lines)
        return f"at least {count:,} elements were read, one at a time, in {_time(seconds)}"
    kinds: Counter[str] = Counter()
    for seen in smell.lines:
        kinds.update(seen.detail["kinds"])
    heard = sum(seen.detail["heard"] for seen in smell.lines)
    most = ", ".join(kind.strip("_") for kind, _ in kinds.most_common(4))
    return f"at least {heard:,} operations ({most}), in {_time(seconds)}"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.1f} ms"


def _of_hearing(trace: Trace, dialect: Dialect, lines: Iterable[Observation]) -> float:
    """The share of the run that hearing of the operations took, which stands at their lines."""
    with_core = max(0.1, 1 - trace.coreless / trace.seconds) if trace.seconds else 1.0
    seconds = dialect.each * sum(seen.detail["heard"] for seen in lines)
    return share_of_seconds(trace, seconds / with_core)
