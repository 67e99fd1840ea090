"""From a trace to what is wrong with the run, ranked by what it costs."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.signals import signals
from deepperf.records import Role
from deepperf.taxonomy.terms import load_codebook

FLOOR = 0.02
"""Share of the run below which something is a note: a gain of 2 % is lost in the noise of most
machines, and nobody changes a program for it."""


LARGE = 32_000_000
"""Bytes below which nobody minds that they are held."""
MOST_HELD = 0.05
"""Part of the most that was held from which on what grows is worth a thought."""


FORWARD = frozenset({"forward", "call", "__call__"})
"""Functions of the user's that a call of a model runs."""


class Weight(enum.Enum):
    """What kind of loss it is, and so how it is ranked."""

    TIME = "time"  # its share is that of the run's time
    MEMORY = "memory"  # its share is that of the memory held at the peak
    HINT = "hint"  # costs what is not known


class Standing(enum.Enum):
    """What became of a static finding at the same line."""

    NONE = ""
    CONFIRMED = "confirmed"


class Choice(enum.Enum):
    """What the settings and comments of the project that ran say of a finding."""

    SHOWN = "shown"
    SILENCED = "silenced"
    UNSELECTED = "unselected"  # shown to who selects it on the command line


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Something that the run loses, at a line of the user's code.

    `cause` is an id of the codebook; `rule` names the static rule for the same smell, "" where
    there is none; `share` counts from 0 to 1; `evidence` says in one line what was seen; `role`
    is that of the file, as `check` has it. `is_general` tells that operations were counted,
    whatever calls for them: what has a rule says more. `asked_at` is a file and a line where the
    program asks for it, if that is another place than where it is felt.
    """

    signal: str
    cause: str
    file: str
    line: int
    function: str
    message: str
    evidence: str
    remedy: str
    weight: Weight = Weight.TIME
    share: float = 0.0
    rule: str = ""
    standing: Standing = Standing.NONE
    role: Role = Role.SOURCE
    choice: Choice = Choice.SHOWN
    is_general: bool = False
    asked_at: tuple[str, int] | None = None

    @property
    def names(self) -> frozenset[str]:
        """What settings, comments and the command line may call it."""
        return frozenset({self.rule or self.signal, self.signal, self.cause})

    @property
    def is_note(self) -> bool:
        """Whether it is too small, not sure enough, or in a test, to be called a finding."""
        is_small = self.weight is Weight.HINT or self.share < FLOOR
        return is_small or self.role is Role.TEST


class Where(Protocol):
    """A line of the user's, as a place or as what was observed there."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def function(self) -> str: ...


def told_at(
    where: Where,
    *,
    signal: str,
    cause: str,
    message: str,
    evidence: str,
    remedy: str,
    weight: Weight = Weight.TIME,
    share: float = 0.0,
    rule: str = "",
) -> Diagnosis:
    """A diagnosis that belongs to a line where something was observed."""
    return Diagnosis(
        signal=signal,
        cause=cause,
        file=where.file,
        line=where.line,
        function=where.function,
        message=message,
        evidence=evidence,
        remedy=remedy,
        weight=weight,
        share=share,
        rule=rule,
    )


MOST_LINES = 8


def diagnose(trace: Trace) -> tuple[Diagnosis, ...]:
    """All that the signals see in a trace, the most costly first.

    They ask what the program's text says: it must be the one that ran.
    """
    found = sorted(
        (item for signal in signals() for item in signal.diagnose(trace)),
        key=lambda item: (-item.share, item.file, item.line, item.signal),
    )
    return told_once(found)


def told_once(found: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    """Each cause once at a line: the same seen twice, and what costs time there for the same kind
    of reason where one of two signals sees no more than that."""
    told: list[Diagnosis] = []
    for item in found:
        same = next((n for n, one in enumerate(told) if _is_same(one, item)), None)
        if same is None:
            told.append(item)
        else:
            told[same] = _joined(told[same], item)
    return tuple(told)


def _is_same(one: Diagnosis, other: Diagnosis) -> bool:
    if (one.file, one.line) != (other.file, other.line):
        return False
    if one.rule and other.rule:
        return one.rule == other.rule
    if (one.signal, one.remedy) == (other.signal, other.remedy):
        return True
    if not (one.is_general or other.is_general):
        return False
    return one.weight is other.weight is Weight.TIME and _kind_of(one) == _kind_of(other)


def _kind_of(item: Diagnosis) -> str:
    """The kind of cause, in the study's groups: which call should have been chosen and how it is
    used are one thing to whoever mends the line."""
    return load_codebook().causes[item.cause].group


def _joined(one: Diagnosis, other: Diagnosis) -> Diagnosis:
    """What tells more of two that share their time: that for which there is a rule."""
    if one.rule or not other.rule:
        return one
    return replace(other, share=max(one.share, other.share))


def busiest(trace: Trace) -> tuple[tuple[str, int, str, float], ...]:
    """File, line, function and share of time of the lines at which most time is spent."""
    if not trace.sampled:
        return ()
    ranked = sorted(trace.samples, key=lambda entry: (-entry.own, entry.file, entry.line))
    return tuple(
        (entry.file, entry.line, entry.function, entry.own / trace.sampled)
        for entry in ranked[:MOST_LINES]
        if entry.own
    )


PARTED = 0.8
"""Part of a line's time up to which what it calls is one of several parts, and not the whole."""
WORTH_TELLING = 0.05


def parts_of_call(trace: Trace, file: str, line: int) -> tuple[tuple[str, float], ...]:
    """The functions of libraries among which the time of a line is divided, with their shares of
    the run: the first ones below it of which none takes nearly all."""
    seen = [one for one in trace.samples if (one.file, one.line) == (file, line)]
    # What is called by no function that has a name is the line's own.
    ways = {tuple(way.split("/")): n for one in seen for way, n in one.calls.items() if way}
    whole = sum(one.own for one in seen)
    for depth in range(max(map(len, ways), default=0)):
        counts: Counter[str] = Counter()
        for way, looks in ways.items():
            if len(way) > depth:
                counts[way[depth]] += looks
        parts = [(name, looks) for name, looks in counts.most_common() if looks >= FLOOR * whole]
        if not parts or parts[0][1] < PARTED * whole:
            told = ((name, looks / trace.sampled) for name, looks in parts)
            return tuple(part for part in told if part[1] >= WORTH_TELLING)
        ways = {way: looks for way, looks in ways.items() if way[: depth + 1][-1:] == parts[0][:1]}
    return ()


def share_of_seconds(trace: Trace, seconds: float) -> float:
    """The share of the run, imports left out, that took so many seconds."""
    return min(1.0, max(0.0, seconds) / trace.work_seconds) if trace.work_seconds else 0.0


def running_part(trace: Trace) -> float:
    """The part of the run in which the main thread had a core whenever it wanted one: while others
    had all of them it was not at work, but at least as long as the processor was."""
    seconds = trace.seconds or 1.0
    return max(1.0 - trace.coreless / seconds, min(1.0, trace.cpu_seconds / seconds))


def share_of_memory(size: float, peak: int) -> float:
    """The share of the most that was held, 0 where that is not known."""
    return min(1.0, size / peak) if peak else 0.0


def is_much(size: float, peak: int) -> bool:
    """Whether it matters that so many bytes more are held, at such a peak."""
    return size >= max(LARGE, MOST_HELD * peak)


def share_of(trace: Trace, file: str, line: int) -> float:
    """The share of the run in which a line was on the stack."""
    return share_within(trace, file, range(line, line + 1))


def share_anywhere(trace: Trace, file: str, line: int) -> float:
    """The same, or the part of the processor's time that other threads spent at it, if that is
    more: what they compute, the main one may not wait for."""
    return max(share_of(trace, file, line), share_of_threads(trace, file, line))


def share_of_threads(trace: Trace, file: str, line: int) -> float:
    """The part of the processor's time that other threads than the main one spent at a line."""
    # A comprehension is a function of its own within its line: what called it contains it.
    looks = (
        max((s.total for s in t.samples if (s.file, s.line) == (file, line)), default=0)
        for t in trace.threads
    )
    seconds = sum(looks) * trace.interval
    return min(1.0, seconds / trace.cpu_seconds) if trace.cpu_seconds else 0.0


def share_of_call(trace: Trace, file: str, line: int, names: Container[str]) -> float:
    """The share of the run in which a line ran by itself, or functions of these names called from
    it: what prepares their arguments in functions of the user's does not count. Of other threads
    all that the line takes counts, as part of the processor's time."""
    aside = share_of_threads(trace, file, line)
    if not trace.sampled or not trace.stacks:
        return max(aside, share_of(trace, file, line))
    looks = 0
    for stack in trace.stacks:
        places = [trace.samples[number] for number in stack.lines]
        at = next((n for n, one in enumerate(places) if (one.file, one.line) == (file, line)), None)
        if at is not None and (at == 0 or places[at - 1].function in names):
            looks += stack.looks
    return max(aside, min(1.0, looks / trace.sampled))


def share_of_ways(trace: Trace, name: str) -> float:
    """The share of the run in which a function of a library's whose name ends so was at work, for
    whichever line."""
    looks = sum(
        count
        for seen in trace.samples
        for way, count in seen.calls.items()
        if any(part.endswith(name) for part in way.split("/"))
    )
    return min(1.0, looks / trace.sampled) if trace.sampled else 0.0


def own_share_of(trace: Trace, file: str, line: int) -> float:
    """The share of the run in which a line was the innermost of the user's."""
    return own_share_within(trace, file, range(line, line + 1))


def own_share_in(trace: Trace, file: str, line: int, packages: Container[str]) -> float:
    """The same without what other installed packages than these do for it."""
    looks = 0
    for seen in trace.samples:
        if (seen.file, seen.line) == (file, line):
            others = (n for name, n in seen.packages.items() if name not in packages)
            looks += seen.own - sum(others)
    return looks / trace.sampled if trace.sampled else 0.0


def own_share_within(trace: Trace, file: str, lines: range) -> float:
    """The share of the run in which one of these lines was the innermost of the user's."""
    own = sum(s.own for s in trace.samples if s.file == file and s.line in lines)
    return own / trace.sampled if trace.sampled else 0.0


def share_within(trace: Trace, file: str, lines: range) -> float:
    """The share of the run in which one of these lines, a loop's, was on the stack."""
    if not trace.sampled:
        return 0.0
    within = {n for n, s in enumerate(trace.samples) if s.file == file and s.line in lines}
    if trace.stacks:
        # A line is on a stack once, be it in several functions of it.
        looks = sum(one.looks for one in trace.stacks if not within.isdisjoint(one.lines))
    else:
        looks = sum(trace.samples[number].total for number in within)
    return min(1.0, looks / trace.sampled)
