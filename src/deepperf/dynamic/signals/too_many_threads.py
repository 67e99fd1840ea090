"""More threads compute than there are cores, and spend the time on handing these to each other."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.tasks import Task, cores_allowed, processes_below, tasks_of
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "too-many-threads"
BY_LOOKS = True
RULES: tuple[str, ...] = ()
SYMPTOMS = ("abnormal-cpu-utilization", "slow-execution")
OWN, WORKERS, POOL = f"{NAME} own", f"{NAME} workers", f"{NAME} pool"
SHARED = (POOL,)
LOOK_EVERY = 0.5
"""Seconds between two looks at the threads."""
BUDGET = 0.001
"""Part of the time that looking may take: a program with hundreds of threads is looked at less."""
SWITCH = 4e-6
"""Seconds of a core that one thread's waiting for the others of its pool and being woken costs at
least: on 4 to 16 threads for one or two cores steps took 5 to 25 us of it more than on one."""
LOSS = 0.05
"""Part of the processor's time lost by that from which on it is more than the noise of steps."""
LONG_ENOUGH = 1.0
"""Seconds of the processor that must have been looked at."""
OFTEN = 100.0
"""Times a second that a thread gives way from which on it is one of a pool that computes: what
waits for files, batches or a clock does so less often."""
CROWDED = 2.0
"""Threads for each core from which on processes are in each other's way: with fewer, some of them
wait for their next piece of work most of the time."""
READY = 0.5
"""Part of the time that a thread runs or waits for a core, from which on it computes. A pool that
does not know who else has threads lets its own go round in circles until the others are done."""
MOST_PROCESSES = 64
COMPUTING = 2
"""Threads of a process that do so from which on it is a pool."""
CORELESS = 0.5
"""Part of that time that they wait for a core: no less than the crowd itself makes of it, whoever
else uses the machine."""
WHOLE = Place("", 0, "")
"""Where the environment says it, no line does."""
SETTINGS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")


def watch(tape: Tape) -> None:
    """Learn how many threads PyTorch is told to take, and look at all threads now and then."""
    watched = _Watch(tape)
    tape.imports.after("torch", lambda module: _listen(watched, module))
    tape.now_and_then(NAME, watched.look)


def _listen(watched: _Watch, module: Any) -> None:
    told = [os.environ.get(name, "") for name in SETTINGS]
    watched.has_torch = True
    watched.threads = next((int(number) for number in told if number.isdigit()), 0)
    set_threads = module.set_num_threads

    @standing_for(set_threads)
    def watched_setting(number: int) -> None:
        set_threads(number)
        tape = watched.tape
        if tape.active and threading.current_thread() is threading.main_thread():
            watched.threads = number
            watched.place = tape.code.place(sys._getframe(1))

    module.set_num_threads = watched_setting


class _Watch:
    """Looks in the sampler's thread; what the program set is told in the main one."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.has_torch = False
        self.threads = 0
        self.place: Place | None = None
        self._next = 0.0
        self._last = 0.0
        self._before: dict[int, dict[int, Task]] = {}

    def look(self, frame: FrameType) -> None:
        now = time.perf_counter()
        if now < self._next:
            return
        begin = time.thread_time()
        self._compare(frame, now)
        took = time.thread_time() - begin
        self._next = now + max(LOOK_EVERY, took / BUDGET)

    def _compare(self, frame: FrameType, now: float) -> None:
        own = os.getpid()
        seen = {
            process: {task.number: task for task in tasks_of(process)}
            for process in (own, *processes_below(own))
        }
        before, lasted = self._before, now - self._last
        self._before, self._last = seen, now
        if not before:
            return
        if self.has_torch:
            self.tape.note(POOL, WHOLE)
            pool = self.tape.detail(POOL, WHOLE)
            pool.update(threads=self.threads or cores_allowed(), process=own)
        pythons = {thread.native_id for thread in threading.enumerate()}
        pools = {
            process: _Pool(before[process], tasks, pythons, lasted)
            for process, tasks in seen.items()
            if process in before
        }
        cores = cores_allowed()
        if self.threads > cores:
            self._note(OWN, self.place or WHOLE, [pools[own]], self.threads, lasted)
        below = {process: one for process, one in pools.items() if process != own and one.threads}
        crowd = [*below.values()]
        threads = sum(pool.threads for pool in crowd)
        if len(crowd) > 1 and threads >= CROWDED * cores:
            place = self.tape.code.place(frame)
            if place is not None:
                self._note(WORKERS, place, crowd, threads, lasted)
                known = self.tape.detail(WORKERS, place)
                known["crowd"] = sorted({*known.get("crowd", ()), *below})[:MOST_PROCESSES]

    def _note(
        self, kind: str, place: Place, pools: list[_Pool], threads: int, lasted: float
    ) -> None:
        self.tape.note(kind, place, count=sum(pool.gave_way for pool in pools))
        detail = self.tape.detail(kind, place)
        detail["worked"] = detail.get("worked", 0.0) + sum(pool.worked for pool in pools)
        detail["lasted"] = detail.get("lasted", 0.0) + lasted
        detail["ran"] = detail.get("ran", 0.0) + sum(pool.ran for pool in pools)
        detail["coreless"] = detail.get("coreless", 0.0) + sum(pool.coreless for pool in pools)
        detail.update(threads=threads, cores=cores_allowed(), processes=len(pools))


class _Pool:
    """The threads of a process that computed between two looks, beside the one that it began with:
    how many there were, how often they gave way, what all of the process worked, in seconds, and
    how long those that were ready for most of the time ran and waited for a core."""

    def __init__(
        self,
        before: Mapping[int, Task],
        after: Mapping[int, Task],
        pythons: set[int | None],
        lasted: float,
    ) -> None:
        self.worked = 0.0
        self.ran = self.coreless = 0.0
        self.threads = self.gave_way = 0
        first = min(after, default=0)
        turning = ready = 0
        for number, task in after.items():
            last = before.get(number, Task(number, 0.0, 0.0, 0))
            ran, coreless = task.seconds - last.seconds, task.coreless - last.coreless
            gave_way = task.gave_way - last.gave_way
            self.worked += ran
            if ran + coreless >= READY * lasted:
                ready += 1
                self.ran += ran
                self.coreless += coreless
            if number != first and number not in pythons and gave_way >= OFTEN * lasted:
                turning += 1
                self.gave_way += gave_way
        # Whoever began it all computes with them.
        turning += bool(turning)
        self.threads = max(turning, ready if ready >= COMPUTING else 0)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The settings and the workers by which threads are in each other's way."""
    pools = [seen.detail for seen in trace.observations if seen.kind == POOL]
    for seen in trace.observations:
        is_crowd = seen.kind == WORKERS and not _are_small(seen, pools)
        if seen.kind == OWN or is_crowd:
            worked = seen.detail["worked"]
            lost = seen.count * SWITCH / worked if worked >= LONG_ENOUGH else 0.0
            if lost >= LOSS:
                yield _diagnosis(trace, seen, min(1.0, lost))
            elif is_crowd and worked >= LONG_ENOUGH and _stood(seen) >= CORELESS:
                yield _diagnosis(trace, seen, 0.0)


def _are_small(seen: Observation, pools: Sequence[Mapping[str, int]]) -> bool:
    """Whether PyTorch takes one thread in each of the processes that are in each other's way: what
    else computes there is no pool's. That their parent takes more says nothing of them."""
    crowd = seen.detail.get("crowd", ())
    found = [pool["threads"] for pool in pools if not crowd or pool.get("process") in crowd]
    return len(found) > 1 and max(found) == 1


def _stood(seen: Observation) -> float:
    """The part of the time in which threads were ready to run that they had no core."""
    ready = seen.detail["ran"] + seen.detail["coreless"]
    return float(seen.detail["coreless"] / ready) if ready else 0.0


def _diagnosis(trace: Trace, seen: Observation, lost: float) -> Diagnosis:
    """What is lost is known where threads stop to wait; where they go round in circles meanwhile,
    nobody can tell that from work."""
    detail = seen.detail
    threads, cores = detail["threads"], detail["cores"]
    counted = f"{cores} core" if cores == 1 else f"{cores} cores"
    if seen.kind == OWN:
        message = f"PyTorch computes with {threads} threads on {counted}"
        who = "they"
        remedy = (
            "remove `torch.set_num_threads` and OMP_NUM_THREADS, or set the cores that the "
            "process may use: `len(os.sched_getaffinity(0))`"
        )
    else:
        message = f"{detail['processes']} processes compute with {threads} threads on {counted}"
        who = "their threads"
        remedy = (
            "give each process its part of the cores: `torch.set_num_threads(1)` at the start of "
            "a worker, or OMP_NUM_THREADS=1 before it starts"
        )
    part = min(1.0, detail["lasted"] / trace.work_seconds) if trace.work_seconds else 0.0
    return told_at(
        seen,
        signal=NAME,
        cause="improper-configuration",
        message=message,
        evidence=(
            f"{who} stopped to wait for each other {seen.count / detail['lasted']:,.0f} times a "
            f"second, which took at least {lost:.0%} of their processor's time"
            if lost
            else f"{who} were ready to run and had no core for {_stood(seen):.0%} of the time, and "
            "what one of them computes the others of its process wait for"
        ),
        remedy=remedy,
        weight=Weight.TIME if lost else Weight.HINT,
        share=lost * part,
    )
