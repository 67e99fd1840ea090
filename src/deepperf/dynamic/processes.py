"""Several processes of one run: which of them the report tells of, and what the others add."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from deepperf.dynamic.diagnosis import Diagnosis, Weight, diagnose, told_once
from deepperf.dynamic.recording.trace import BEGUN, Observation, Samples, Trace
from deepperf.dynamic.signals import shared_kinds

NUMBER = re.compile(r"[-_ ]*\d+")
"""What tells processes of the same kind from each other: "ForkPoolWorker-3"."""
MOST_PROCESSES = 256
WORTH_LOOKING = 0.05
"""Part of the processor's time from which on the processes of a kind are told of."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Processes that do the same; the one that computed most comes first."""

    name: str
    processes: tuple[Trace, ...]

    @property
    def cpu_seconds(self) -> float:
        """What they had of the processor, all together."""
        return sum(trace.cpu_seconds for trace in self.processes)

    @property
    def busiest(self) -> Samples | None:
        """The line at which most of it goes, by the first of them."""
        samples = self.processes[0].samples
        return max(samples, key=lambda seen: seen.own, default=None)


def in_order(processes: Sequence[Trace]) -> tuple[Trace, ...]:
    """The one of which the report tells comes first: that which was started, unless it only waits
    for others that train together."""
    trace, *others = processes
    ranks = [other for other in others if other.ranks > 1]
    if ranks and not trace.clocks:
        trace = min(ranks, key=lambda one: (one.rank, -one.cpu_seconds))
    rest = [one for one in processes if one is not trace]
    # What was started is what people know.
    trace = replace(trace, command=processes[0].command)
    rest.sort(key=lambda one: (-one.cpu_seconds, one.process))
    return (trace, *rest[: MOST_PROCESSES - 1])


def ranks_of(processes: Sequence[Trace]) -> tuple[Trace, ...]:
    """Those that train together, by their number."""
    found = [trace for trace in processes if trace.ranks > 1 and trace.clocks]
    return tuple(sorted(found, key=lambda trace: trace.rank)) if len(found) > 1 else ()


def kinds_of(processes: Sequence[Trace]) -> tuple[Kind, ...]:
    """The other processes by what they do; ranks of a training are the first one's equals."""
    ranks = ranks_of(processes)
    by_name: dict[str, list[Trace]] = {}
    for trace in processes[1:]:
        if trace not in ranks:
            by_name.setdefault(NUMBER.sub("", trace.role) or trace.role, []).append(trace)
    kinds = [Kind(name, tuple(found)) for name, found in by_name.items()]
    return tuple(sorted(kinds, key=lambda kind: -kind.cpu_seconds))


def worth_a_look(processes: Sequence[Trace]) -> tuple[Trace, ...]:
    """The first process, and those that compute a good part of what all do."""
    least = WORTH_LOOKING * cpu_seconds_of(processes)
    return (processes[0], *(trace for trace in processes[1:] if trace.cpu_seconds >= least))


def cpu_seconds_of(processes: Iterable[Trace]) -> float:
    """What all of them had of the processor."""
    return sum(trace.cpu_seconds for trace in processes)


def unwatched_seconds(processes: Sequence[Trace]) -> float:
    """The processor's time of processes that were started and did not record."""
    known = {trace.process for trace in processes}
    roots = [trace for trace in processes if trace.parent not in known]
    awaited = sum(trace.children_cpu_seconds for trace in roots)
    watched = sum(trace.startup + trace.cpu_seconds for trace in processes if trace not in roots)
    return max(0.0, awaited - watched)


def diagnose_all(processes: Sequence[Trace]) -> tuple[Diagnosis, ...]:
    """What all processes lose, the most costly first.

    What the first one waits for the others is its own loss; what these lose themselves has the
    share of the processor's time that it costs.
    """
    found = [*diagnose(_told_of_others(processes))]
    for rank in ranks_of(processes):
        if rank is not processes[0]:
            found += (_said_of(item, f"rank {rank.rank}") for item in diagnose(rank))
    whole_seconds = cpu_seconds_of(processes)
    for kind in kinds_of(processes):
        part = kind.cpu_seconds / whole_seconds if whole_seconds else 0.0
        if part >= WORTH_LOOKING:
            for item in diagnose(kind.processes[0]):
                scaled = part if item.weight is Weight.TIME else 1.0
                found.append(replace(_said_of(item, _who(kind)), share=scaled * item.share))
    return within_the_whole(told_once(found))


def _told_of_others(processes: Sequence[Trace]) -> Trace:
    """The first process, with what all others have noted for it."""
    kinds = shared_kinds()
    noted = (seen for one in processes[1:] for seen in one.observations if seen.kind in kinds)
    first = processes[0]
    began = (_beginning(one) for one in processes[1:] if one.parent == first.process)
    return replace(first, observations=(*first.observations, *noted, *began))


def _beginning(child: Trace) -> Observation:
    """What a process that the first one started took until it could begin with its work."""
    seconds = child.startup + child.importing
    return Observation(BEGUN, "", 0, "", 1, seconds, detail={"role": child.role})


def within_the_whole(found: Sequence[Diagnosis]) -> tuple[Diagnosis, ...]:
    """The most costly first. Causes may share their time, as a loader that is waited for does with
    what is slow in it: to be rid of all of them gains no more than there is."""
    whole_share = sum(item.share for item in found if item.weight is Weight.TIME)
    told = (
        replace(item, share=item.share / whole_share)
        if item.weight is Weight.TIME and whole_share > 1.0
        else item
        for item in found
    )
    return tuple(sorted(told, key=lambda item: (-item.share, item.file, item.line)))


def _who(kind: Kind) -> str:
    count = len(kind.processes)
    return f"{count} processes, {kind.name}" if count > 1 else f"the process {kind.name}"


def _said_of(item: Diagnosis, who: str) -> Diagnosis:
    return replace(item, evidence=f"{item.evidence} (in {who})")


def whole(processes: Sequence[Trace]) -> Trace:
    """The first process, with the lines that any of them has reached."""
    trace, *others = processes
    reached = {path: set(lines) for path, lines in trace.reached.items()}
    for other in others:
        for path, lines in other.reached.items():
            reached.setdefault(path, set()).update(lines)
        for seen in other.samples:
            reached.setdefault(seen.file, set()).add(seen.line)
    return replace(trace, reached={path: tuple(sorted(found)) for path, found in reached.items()})
