"""Nothing runs any more: the main thread waits for others, which all wait as well."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from types import FrameType

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.tasks import (
    listens,
    processes_below,
    seconds_of,
    wait_of,
    waits_of,
)
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "standstill"
BY_LOOKS = True
RULES: tuple[str, ...] = ()
SYMPTOMS = ("program-hang",)
LOOK_EVERY = 0.5
"""Seconds between two looks."""
MISSED = 3.5
"""Looks between which it still stood, though those in between may have met a thread that had just
looked at the clock."""
IDLE = 0.03
"""Part of one core that all processes together take at most while nothing runs: the sampler, and
what looks now and then whether it may go on."""
LONG = 5.0
"""Seconds up to which nobody would take a program to hang."""
VERY_LONG = 60.0
"""Seconds from which on one does, however long it ran before."""
MOSTLY = 0.5
"""Part of the run that it stood still at its end."""
ENDED_WITHIN = 3.0
"""Seconds before the end of what was recorded until which it was seen standing still: of a program
that is killed, the last second or two are not written."""
PAUSES = 1.5
"""Seconds of standing still that a program that came to its end is told of: workers that find
nothing to do for a moment are none."""
MUCH = 0.2
"""Part of its run that they take."""
ENDLESS = ("futex", "pipe_read", "pipe_wait", "do_wait", "wait4", "poll", "select", "unix_stream")
"""Where the kernel keeps threads that wait for other threads, or for a process on this machine;
not a clock, a disk or a person."""
WAITS = {
    "torch/utils/data/dataloader.py": "the workers of its `DataLoader`",
    "multiprocessing/pool.py": "the workers of a pool",
    "joblib/parallel.py": "the workers of `joblib`",
    "concurrent/futures/_base.py": "the workers of an executor",
    "concurrent/futures/thread.py": "the workers of an executor",
    "concurrent/futures/process.py": "the workers of an executor",
    "multiprocessing/process.py": "a process to end",
    "multiprocessing/queues.py": "a queue between processes",
    "multiprocessing/connection.py": "another process",
    "multiprocessing/synchronize.py": "a lock between processes",
    "subprocess.py": "a program that it has started",
    "queue.py": "a queue",
    "threading.py": "another thread",
}
"""What a main thread waits for, by the files whose code waits."""
LOCK = "a lock"
"""What it waits for in a line of the program itself: other functions end by themselves."""
OF_PROCESSES = tuple(WAITS.values())[:10]

REMEDY_OF_PROCESSES = (
    "start worker processes before the program has threads or locks, by "
    '`get_context("spawn")` or "forkserver"; let no worker wait for another, and join none '
    "before its queue is empty"
)
REMEDY_OF_THREADS = (
    "see that what it waits for is put, set or released on every path through the code, after "
    "errors too; give the wait a timeout"
)


def watch(tape: Tape) -> None:
    """Look now and then whether anything runs."""
    tape.now_and_then(NAME, _Watch(tape).look)


class _Watch:
    """Runs in the sampler's thread."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._began = time.perf_counter()
        self._next = 0.0
        self._last = self._began
        self._worked = 0.0
        self._children: dict[int, float] = {}
        self._place: Place | None = None

    def look(self, frame: FrameType) -> None:
        now = time.perf_counter()
        if now >= self._next:
            self._next = now + LOOK_EVERY
            self._compare(frame, now)

    def _compare(self, frame: FrameType, now: float) -> None:
        lasted, self._last = now - self._last, now
        before, self._worked = self._worked, time.process_time()
        was_at, self._place = self._place, self._tape.code.place(frame)
        children, self._children = self._children, {}
        own = os.getpid()
        if (
            self._place is None
            or self._worked - before > IDLE * lasted
            or not _is_endless(wait_of(own, own))
        ):
            return
        # From here on nothing runs that could be held up by looking.
        awaited = _awaited(frame, self._tape)
        processes = processes_below(own)
        self._children = {process: seconds_of(process) for process in processes}
        worked = sum(
            seconds - children.get(process, 0.0) for process, seconds in self._children.items()
        )
        if self._place != was_at or not awaited or worked > IDLE * lasted:
            return
        ours = {t.native_id for t in threading.enumerate() if t.name.startswith("deepperf")}
        everyone = (own, *processes)
        waits = [wait for process in everyone for wait in waits_of(process, ours)]
        if all(map(_is_endless, waits)) and not any(map(listens, everyone)):
            self._note(self._place, awaited, now, lasted, len(processes))

    def _note(self, place: Place, awaited: str, now: float, lasted: float, processes: int) -> None:
        self._tape.note(NAME, place, seconds=lasted)
        detail = self._tape.detail(NAME, place)
        until = now - self._began
        since = until - detail.get("until", 0.0)
        is_further = "stood" in detail and since <= MISSED * lasted
        detail["stood"] = detail["stood"] + since if is_further else lasted
        detail.update(until=until, every=lasted, awaited=awaited, processes=processes)


def _is_endless(wait: str) -> bool:
    return any(known in wait for known in ENDLESS)


def _awaited(frame: FrameType, tape: Tape) -> str:
    """What the main thread waits for; "" where that is nothing known."""
    files = list(_files(frame, tape))
    known = [what for file in files for home, what in WAITS.items() if file.endswith(f"/{home}")]
    # The outermost is what the program has asked for.
    return known[-1] if known else "" if files else LOCK


def _files(frame: FrameType | None, tape: Tape) -> Iterator[str]:
    """The files of a stack from inside until the program's own."""
    for _ in range(DEEPEST):
        if frame is None or tape.code.path_of(frame.f_code.co_filename):
            return
        yield frame.f_code.co_filename.replace(os.sep, "/")
        frame = frame.f_back


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The line at which a program hung until it was ended, and those at which workers hang."""
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        detail = seen.detail
        stood, until = detail["stood"], detail["until"]
        is_last = until >= trace.seconds - ENDED_WITHIN - 2 * detail["every"]
        is_ended = trace.ended != "exit" and is_last
        if is_ended and stood >= min(VERY_LONG, max(LONG, MOSTLY * trace.work_seconds)):
            yield _diagnosis(trace, seen, stood, f"the program hangs, waiting for {_what(seen)}")
        elif (
            detail["processes"]
            and detail["awaited"] in OF_PROCESSES
            and seen.seconds >= max(PAUSES, MUCH * trace.work_seconds)
        ):
            message = f"nothing runs while the program waits for {_what(seen)}"
            yield _diagnosis(trace, seen, seen.seconds, message)


def _what(seen: Observation) -> str:
    return str(seen.detail["awaited"])


def _diagnosis(trace: Trace, seen: Observation, seconds: float, message: str) -> Diagnosis:
    count = seen.detail["processes"]
    others = "its other threads wait, too"
    if count:
        others = f"the {count} processes that it started wait, too" if count > 1 else ""
        others = others or "the process that it started waits, too"
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=message,
        evidence=(
            f"for {seconds:.1f} s no thread used a core, read a file or heard from another "
            f"machine: {others}"
        ),
        remedy=REMEDY_OF_PROCESSES if count else REMEDY_OF_THREADS,
        share=share_of_seconds(trace, seconds),
    )
