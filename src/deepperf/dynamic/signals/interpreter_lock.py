"""Threads that are ready to run Python wait for the interpreter's lock, which others hold."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.recording.forking import THREADS
from deepperf.dynamic.recording.frames import frames_of_others
from deepperf.dynamic.recording.lock_waits import LockWaits, Stood
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.threads import role_of
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "interpreter-lock"
BY_LOOKS = True
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
ALL, AT, HELD = f"{NAME} all", f"{NAME} at", f"{NAME} held"
BUDGET = 0.002
"""Part of the time that looking may take: of many threads it is done less often."""
FEWEST_THREADS = 2
"""One that waits, and one for which it does."""
MOST_THREADS = 16
COMPUTING = 0.2
"""Part of the time that all threads together must compute: less holds nobody up."""
MAIN = "main thread"
WHOLE = Place("", 0, "")
LONG = 0.1
"""Part of the run that threads of a kind wait, each of them, from which on it is told."""
LONG_ENOUGH = 2.0
"""Seconds of it."""
SURE = 2.0
"""Standard errors by which it is more than half of that: few looks may have met a thread that now
sleeps and now computes awake by chance."""
MOST_HOLDERS = 3
WORTH_NAMING = 0.1


def watch(tape: Tape) -> None:
    """Look now and then which threads wait for the lock."""
    with contextlib.suppress(OSError):
        tape.now_and_then(NAME, _Watch(tape, LockWaits()).look)


class _Watch:
    """Runs in the sampler's thread, which holds the lock meanwhile."""

    def __init__(self, tape: Tape, waits: LockWaits) -> None:
        self._tape = tape
        self._waits = waits
        self._importing = 0.0
        self._next = 0.0

    def look(self, _main: FrameType) -> None:
        now = time.perf_counter()
        if now < self._next:
            return
        begin = time.thread_time()
        self._compare()
        self._next = now + (time.thread_time() - begin) / BUDGET

    def _compare(self) -> None:
        importing, self._importing = self._importing, self._tape.imports.seconds
        if importing != self._importing:
            self._waits.skip()
        # Its lock may be held by a thread that waits for us: the dict alone is read.
        known: dict[int, Any] = dict(threading._active)  # type: ignore[attr-defined]
        if len(known) < FEWEST_THREADS:
            self._waits.skip()
            return
        frames = frames_of_others()
        main = threading.main_thread()
        threads: dict[int, tuple[str, Place]] = {}
        for number, frame in frames.items():
            thread = known.get(number)
            if thread is None or thread.native_id is None or thread.name.startswith(THREADS):
                continue
            place = self._tape.code.place(frame)
            role = MAIN if thread is main else role_of(thread.name)
            if place is not None and len(threads) < MOST_THREADS:
                threads[thread.native_id] = role, place
        if len(threads) < FEWEST_THREADS:
            self._waits.skip()
        else:
            self._note(threads, self._waits.look([*threads], COMPUTING))

    def _note(self, threads: Mapping[int, tuple[str, Place]], seen: Mapping[int, Stood]) -> None:
        if not seen:
            return
        tape = self._tape
        tape.note(ALL, WHOLE)
        roles = tape.detail(ALL, WHOLE).setdefault("threads", {})
        for native, stood in seen.items():
            role, place = threads[native]
            known = roles.setdefault(role, {"count": 0, "looks": 0, "seconds": 0.0, "squares": 0.0})
            known["count"] = max(known["count"], sum(threads[one][0] == role for one in seen))
            # One that computed and sleeps now is charged less than nothing, as one that slept and
            # is awake now is charged too much.
            awake = 0.0 if stood.is_asleep else stood.worked + stood.coreless + stood.rest
            waited = awake - stood.worked - stood.coreless
            known["looks"] += 1
            known["seconds"] += waited
            known["squares"] += waited * waited
            if stood.waits and stood.rest > 0.0:
                _add(tape, AT, place, role, stood.rest)
                self._note_holders(threads, seen, native)

    def _note_holders(
        self, threads: Mapping[int, tuple[str, Place]], seen: Mapping[int, Stood], waiting: int
    ) -> None:
        holders = {
            native: stood.worked
            for native, stood in seen.items()
            if native != waiting and stood.waits and stood.worked > 0.0
        }
        whole = sum(holders.values())
        for native, worked in holders.items():
            role, place = threads[native]
            part = seen[waiting].rest * worked / whole
            _add(self._tape, HELD, place, f"{threads[waiting][0]}\n{role}", part)


def _add(tape: Tape, kind: str, place: Place, key: str, seconds: float) -> None:
    tape.note(kind, place, seconds=seconds)
    detail = tape.detail(kind, place)
    detail[key] = detail.get(key, 0.0) + seconds


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The threads that wait longest for the lock, at the line at which they wait most."""
    roles: dict[str, Any] = {}
    for seen in trace.observations:
        if seen.kind == ALL:
            roles = seen.detail.get("threads", {})
    if not trace.work_seconds:
        return
    least = max(LONG_ENOUGH, LONG * trace.work_seconds)
    # Where the main thread waits for it as long, all do.
    ranked = sorted(roles.items(), key=lambda item: (-_each(item[1]), item[0] != MAIN))
    waiting = [
        role
        for role, one in ranked
        if _each(one) >= least and _each(one) - SURE * _error(one) >= least / 2
        if _of(trace, AT, role)
    ]
    if waiting:
        first, *others = waiting
        also = "".join(_also(trace, role, _each(roles[role])) for role in others[:MOST_HOLDERS])
        yield _diagnosis(trace, first, roles[first], also)


def _also(trace: Trace, role: str, seconds: float) -> str:
    _, seen = _of(trace, AT, role)[0]
    file = seen.file.rpartition("/")[2]
    return f"; {_called(role)} waited, too, for {seconds:.1f} s at {file}:{seen.line}"


def _each(one: Mapping[str, float]) -> float:
    """How long each thread of a kind waited."""
    return one["seconds"] / one["count"]


def _error(one: Mapping[str, float]) -> float:
    """The standard error of that."""
    spread = one["squares"] - one["seconds"] ** 2 / one["looks"]
    return math.sqrt(max(0.0, spread)) / one["count"]


def _of(trace: Trace, kind: str, role: str) -> list[tuple[float, Observation]]:
    found = [
        (seen.detail[role], seen)
        for seen in trace.observations
        if seen.kind == kind and role in seen.detail
    ]
    return sorted(found, key=lambda one: -one[0])


def _diagnosis(trace: Trace, role: str, known: Mapping[str, Any], also: str) -> Diagnosis:
    count, seconds = known["count"], _each(known)
    who = _called(role) if count == 1 else f'{count} threads "{role}"'
    who = who if role == MAIN or count > 1 else f"the {who}"
    waits = "waits" if count == 1 else "wait"
    each = "" if count == 1 else "each of them "
    return told_at(
        _of(trace, AT, role)[0][1],
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"{who} {waits} for the interpreter's lock, which "
        "one thread at a time holds while it runs Python",
        evidence="".join(
            (
                f"{each or 'it '}was ready to run and waited for {seconds:.1f} s, ",
                f"{share_of_seconds(trace, seconds):.0%} of the run",
                _held_by(trace, role),
                also,
            )
        ),
        remedy="run the Python code in processes: workers of a `DataLoader`, or a "
        "`ProcessPoolExecutor`; or do the work in operations on whole arrays, which release the "
        "lock",
        share=_share(trace, role, seconds),
    )


def _held_by(trace: Trace, waiting: str) -> str:
    held: Counter[tuple[str, str, int]] = Counter()
    for seen in trace.observations:
        for key, seconds in seen.detail.items() if seen.kind == HELD else ():
            who, _, role = key.partition("\n")
            if who == waiting:
                held[role, seen.file.rpartition("/")[2], seen.line] += seconds
    whole = sum(held.values())
    told = [
        f"{_called(role)} at {file}:{line} ({seconds / whole:.0%})"
        for (role, file, line), seconds in held.most_common(MOST_HOLDERS)
        if seconds >= WORTH_NAMING * whole
    ]
    return f"; it was held most by {', '.join(told)}" if told else ""


def _called(role: str) -> str:
    return f"the {MAIN}" if role == MAIN else f'thread "{role}"'


def _share(trace: Trace, role: str, seconds: float) -> float:
    """What the run may lose by it: of another thread's wait no more than the main one waits, and
    never more than other cores could take over."""
    if role != MAIN:
        seconds = min(seconds, trace.waited)
    cores = int(trace.machine.get("cores", 1))
    return min(share_of_seconds(trace, seconds), 1.0 - 1.0 / max(1, cores))
