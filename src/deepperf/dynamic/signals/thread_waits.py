"""Threads wait for each other: for a lock that one holds while it works, for the next look into a
queue, or for elements that another thread makes one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.program.waiting import Held, lock_taken_at, looks_again_at
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Samples, ThreadTime, Trace

NAME = "thread-waits"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
LONG = 0.1
"""Part of the run that threads wait at a line, all together, from which on it matters."""
POLLING = 0.3
POLLING_MAIN = 0.05
"""The same of a thread that sleeps until it looks again, and of the main one, which has something
to do."""
MADE = 0.3
"""Part of the wait that threads with the elements work: else something else keeps them."""
TAKES = ("Queue.get/Condition.wait", "get/wait")
"""How it is seen that an element is waited for, since Python 3.11 and before."""


def watch(_tape: Tape) -> None:
    """Nothing: where threads wait is looked at anyway."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines at which threads wait for long."""
    if trace.work_seconds:
        yield from _of_locks(trace)
        yield from _of_looks(trace)
        yield from _of_queues(trace)


def _of_locks(trace: Trace) -> Iterator[Diagnosis]:
    waits: Counter[Place] = Counter()
    for seen in _all_samples(trace):
        if seen.waited:
            waits[Place(seen.file, seen.line, seen.function)] += seen.waited
    for place, looks in waits.items():
        seconds = looks * trace.interval
        held = lock_taken_at(place.file, place.line) if seconds >= LONG * trace.seconds else None
        if held is None:
            continue
        busiest = _busiest_within(trace, place, held)
        at = f"; most of what is done meanwhile is at line {busiest}" if busiest else ""
        yield told_at(
            place,
            signal=NAME,
            cause="inefficient-api-usage",
            message=f"threads wait for `{held.lock}`, which another holds while it works",
            evidence=f"they stood there for {seconds:.1f} s of a run of {trace.seconds:.1f} s{at}",
            remedy="hold it only where what threads share is read or changed, and do the work "
            "before or after",
            # What they could do meanwhile nobody knows: the interpreter's lock may keep them, too.
            weight=Weight.HINT,
        )


def _of_looks(trace: Trace) -> Iterator[Diagnosis]:
    for who, samples in _all_threads(trace):
        # A thread that has nothing else to do sleeps for most of the run.
        least = POLLING * trace.seconds if who else POLLING_MAIN * trace.work_seconds
        for seen in samples:
            seconds = seen.waited * trace.interval
            if seconds < least or not looks_again_at(seen.file, seen.line):
                continue
            yield told_at(
                seen,
                signal=NAME,
                cause="inefficient-api-usage",
                message="a thread sleeps before it looks again whether there is something for it",
                evidence=f"{who or 'the main thread'} slept there for {seconds:.1f} s of a run of "
                f"{trace.seconds:.1f} s: what arrives meanwhile waits for it",
                remedy="let it wait in the `get()` of a `queue.Queue`, which returns at once when "
                "something arrives, with a `timeout` where it has something else to do",
                # Most of it may be that nothing is there.
                weight=Weight.HINT,
            )


def _of_queues(trace: Trace) -> Iterator[Diagnosis]:
    """The lines of the main thread that wait for what other threads put into a queue."""
    makers = [one for one in trace.threads if any(seen.own for seen in one.samples)]
    for seen in trace.samples:
        share = seen.waited / trace.sampled if trace.sampled else 0.0
        if share < LONG or not any(way.startswith(TAKES) for way in seen.calls):
            continue
        waited = seen.waited * trace.interval
        busy = [one for one in makers if one.cpu_seconds >= MADE * waited]
        made = max(busy, key=lambda one: one.cpu_seconds, default=None)
        if made is not None:
            yield _of_maker(seen, made, share, waited)


def _of_maker(seen: Samples, made: ThreadTime, share: float, waited: float) -> Diagnosis:
    busiest = max(made.samples, key=lambda one: one.own)
    who = f'thread "{made.name}"' if made.count == 1 else f'{made.count} threads "{made.name}"'
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-data-preprocessing",
        message="the main thread waits for what another thread puts into a queue",
        evidence=(
            f"it waited for {waited:.1f} s; {who} computed for {made.cpu_seconds:.1f} s meanwhile, "
            f"most at {busiest.file.rpartition('/')[2]}:{busiest.line}"
        ),
        remedy="make what it puts there cheaper, or have processes make it: Python's threads share "
        "one core for what is written in Python",
        share=min(1.0, share),
    )


def _busiest_within(trace: Trace, taken: Place, held: Held) -> int:
    looks: Counter[int] = Counter()
    for seen in _all_samples(trace):
        is_within = held.first <= seen.line <= held.last and seen.line != taken.line
        if seen.file == taken.file and is_within:
            looks[seen.line] += seen.total
    return max(looks, key=lambda line: looks[line], default=0)


def _all_threads(trace: Trace) -> Iterator[tuple[str, Sequence[Samples]]]:
    """What was seen of the main thread, "", and of the others, by their names."""
    yield "", trace.samples
    for thread in trace.threads:
        yield f'thread "{thread.name}"', thread.samples


def _all_samples(trace: Trace) -> Iterator[Samples]:
    for _, samples in _all_threads(trace):
        yield from samples
