"""The recorder of a run: takes what signals note, and makes the trace of it.

Everything here runs inside the user's program: it must be cheap, must never raise into it, and
must be silent in the processes that it forks.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, ParamSpec, TypeVar

from deepperf.dynamic.recording.clock import StepClock, seconds_without_core
from deepperf.dynamic.recording.cost import Budget, Own, Toll
from deepperf.dynamic.recording.forking import after_fork, keep_forks_quiet
from deepperf.dynamic.recording.identity import (
    cpu_seconds_of_children,
    rank_of_process,
    role_of_process,
)
from deepperf.dynamic.recording.imports import ImportWatch
from deepperf.dynamic.recording.places import Place, UserCode
from deepperf.dynamic.recording.reached import lines_reached
from deepperf.dynamic.recording.sampler import Sampler
from deepperf.dynamic.recording.sums import Sum
from deepperf.dynamic.recording.threads import ThreadLook
from deepperf.dynamic.recording.totals import Totals
from deepperf.dynamic.recording.trace import SUFFIX, Trace, write_trace

MOST_PLACES = 2000
"""Lines a signal may speak of; a program that exceeds it is summed up at the first ones."""
WRITE_EVERY = 2.0
"""Seconds between two writings, so that a killed program leaves what was seen."""
FIRST_WRITE = 0.5
"""Seconds until the first."""
WRITE_SHARE = 0.001
"""Part of the time that writing may take."""
FRAMEWORKS = ("tensorflow", "keras", "torch", "jax", "numpy", "transformers")

Noted = TypeVar("Noted")
Shown = ParamSpec("Shown")


class Tape:
    """Takes notes while it is `active`. `budget` is what heavier looks ask, `hooks` what is done at
    each step.

    `main` is the code of the script that runs, if it is one; `parent` the process that started this
    one, where that is watched. Those that this one forks record into the folder `forks`, if there
    is one, from when they have computed for a moment.
    """

    def __init__(self, path: Path, command: Sequence[str], parent: int = 0) -> None:
        self.code = UserCode()
        self.imports = ImportWatch(self.guarded, self.code.path_of)
        self.active = True
        self.budget = Budget()
        self._own = Own()
        self._notes = Toll()
        self.hooks = Toll()
        self.forks: Path | None = None
        self._path = path
        self._parent = parent
        self._command = tuple(command)
        self._folder = os.getcwd()
        self._began = _now()
        self._start = time.perf_counter()
        self._startup = 0.0
        self._rank = 0, 1
        self._sums: dict[tuple[str, Place], Sum] = {}
        self._kinds: Counter[str] = Counter()
        self._clocks: dict[str, StepClock] = {}
        self._after_steps: list[Callable[[str], None]] = []
        self._at_ticks: list[Callable[[str], None]] = []
        self._problems: dict[str, None] = {}
        self._reached: dict[str, list[int]] = {}
        self.main: CodeType | None = None
        self._sampler = Sampler(
            self.code,
            lambda: self.imports.is_importing,
            self._due,
            self._has_problem,
        )
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._thread = threading.get_native_id()
        self._totals = Totals(self._read)
        self._write_at = self._start + FIRST_WRITE
        after_fork(self._forked)
        keep_forks_quiet()

    def start(self, before: float = 0.0) -> None:
        """Begin to sample: what was done until now, to set up recording, is no part of the run.

        `before` is what the process had had of the processor when that began.
        """
        self._start = time.perf_counter()
        self._startup = time.process_time() - before
        self._write_at = self._start + FIRST_WRITE
        self.imports.install()
        self.budget.thread = self._sampler.start()
        self._totals = Totals(self._read)

    def _read(self) -> tuple[float, ...]:
        return (
            time.perf_counter(),
            time.process_time(),
            seconds_without_core(self._thread),
            self.imports.seconds,
            self._sampler.main_cpu_seconds,
            cpu_seconds_of_children(),
        )

    def _forked(self) -> None:
        """In a forked child: the parent's run is not its business, and its own begins."""
        is_watched, self.active = self.active, False
        self._start = time.perf_counter()
        self._sampler.forget()
        if self.forks is not None and is_watched:
            self._sampler.wait_for_work(lambda: self.guarded("a fork", self._begin_again))

    def _begin_again(self) -> None:
        """Record a forked child, from its beginning on."""
        self._parent, self._process = self._process, os.getpid()
        self._path = (self.forks or self._path.parent) / f"{self._process}{SUFFIX}"
        self._thread = threading.get_native_id()
        # The clocks of a child begin with it.
        self._totals = Totals(self._read, (self._start, 0.0, 0.0, self.imports.seconds, 0.0, 0.0))
        self._startup = 0.0
        self._own, self._notes, self.hooks = Own(), Toll(), Toll()
        self.budget.begin_again()
        self._began = _now()
        for kept in (self._sums, self._kinds, self._clocks, self._problems):
            kept.clear()
        self._lock = threading.Lock()
        self._write_at = self._start + FIRST_WRITE
        self.active = True

    def note(
        self,
        kind: str,
        place: Place | None = None,
        count: int = 1,
        seconds: float = 0.0,
        size: int = 0,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        """Add to what was seen at a line: the user's innermost, unless `place` is given.

        `detail` replaces what an earlier note said under the same keys.
        """
        if not self.active:
            return
        begin = self._notes.begin()
        if place is None or begin:
            # Who gives the place has looked it up, which is part of what a note costs.
            found = self.code.place(sys._getframe(1))
            place = place or found
        entry = None if place is None else self._sum(kind, place)
        if entry is not None:
            entry.count += count
            entry.seconds += seconds
            entry.bytes += size
            if detail:
                entry.detail.update(detail)
        if begin:
            self._notes.end(begin)

    def detail(self, kind: str, place: Place) -> dict[str, Any]:
        """What was noted of a line beside its sums, to be changed in place."""
        entry = self._sum(kind, place)
        return {} if entry is None else entry.detail

    def _sum(self, kind: str, place: Place) -> Sum | None:
        key = (kind, place)
        entry = self._sums.get(key)
        if entry is None:
            if self._kinds[kind] >= MOST_PLACES:
                return None
            self._kinds[kind] += 1
            entry = self._sums[key] = Sum()
        return entry

    def step(self, clock: str) -> None:
        """A step has ended that `clock` tells, one of `CLOCKS`."""
        begin = self.hooks.begin()
        self.tick(clock)
        if begin:
            self.hooks.end(begin)

    def tick(self, clock: str) -> None:
        """The same, told by something that `hooks` times."""
        for listener in self._at_ticks:
            listener(clock)
        if not self.active:
            return
        ticking = self._clocks.get(clock)
        if ticking is None:
            ticking = self._clocks[clock] = StepClock(clock, self._start)
        ticking.tick()

    def step_done(self, clock: str) -> None:
        """The same of a step whose work is done by now, not only sent off."""
        self.step(clock)
        for listener in self._after_steps:
            listener(clock)

    def after_steps(self, listener: Callable[[str], None]) -> None:
        """Tell `listener` the clock of each step that is done, from within what has made it.

        It must be cheap, and never raise.
        """
        self._after_steps.append(listener)

    def at_ticks(self, listener: Callable[[str], None]) -> None:
        """Tell `listener` the clock of each step, also of those that are not watched."""
        self._at_ticks.append(listener)

    @property
    def ticks(self) -> int:
        """How many steps the clock that ticked most has told so far."""
        return max((clock.count for clock in list(self._clocks.values())), default=0)

    def ticks_of(self, clock: str) -> int:
        """How many steps one clock has told so far."""
        ticking = self._clocks.get(clock)
        return 0 if ticking is None else ticking.count

    def at_samples(self, what: str, look: Callable[[FrameType], None]) -> None:
        """Show `look` the main thread's innermost frame for each of the looks that are counted.

        It runs between two of that thread's instructions or in the sampler's, the time is measured,
        and must take no lock and let the frame go.
        """
        self._sampler.listeners.append(self._shown_to(what, look))

    def now_and_then(self, what: str, look: Callable[[FrameType], None]) -> None:
        """The same some times a second, whatever the thread does, always in the sampler's."""
        self._sampler.watchers.append(self._shown_to(what, look))

    def at_threads(self, what: str, look: ThreadLook) -> None:
        """Show `look` other threads' innermost frames some times a second, in the sampler's."""
        self._sampler.others.listeners.append(self._shown_to(what, look))

    def during_operations(self, what: str, look: Callable[[FrameType], None]) -> None:
        """The same, and also whenever the main thread has computed for a moment."""
        self._sampler.prompt.append(self._shown_to(what, look))

    def _shown_to(self, what: str, look: Callable[Shown, None]) -> Callable[Shown, None]:
        def shown(*seen: Shown.args, **named: Shown.kwargs) -> None:
            if self.active:
                self.uncounted(what, lambda: look(*seen, **named))

        return shown

    def guarded(self, what: str, work: Callable[[], Noted]) -> Noted | None:
        """Do something of ours; what it raises is a problem of the trace, never the user's."""
        return self._own.timed(lambda: self.uncounted(what, work))

    def uncounted(self, what: str, work: Callable[[], Noted]) -> Noted | None:
        """The same for what is measured otherwise, or charged to the budget."""
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - an invariant: recording harms no program
            self._problems.setdefault(f"{what}: {type(error).__name__}: {error}"[:300])
            return None

    def _has_problem(self, told: str) -> None:
        self._problems.setdefault(told)

    def pause(self) -> None:
        """Take no notes until `resume`, and cost as little as can be."""
        self.active = False
        self._sampler.pause()
        self._totals.pause()
        self.budget.close()

    def resume(self) -> None:
        """Take notes again: what happened in between is no part of the run that is told."""
        self.budget.open()
        missed, *_ = self._totals.resume()
        self._start += missed
        for clock in self._clocks.values():
            clock.shift(missed)
        self._sampler.resume(missed)
        self.active = True

    def take_last_notes(self) -> None:
        """Let signals note what they have gathered, also in a pause: the program has ended."""
        self.active = True

    @property
    def seconds(self) -> float:
        """How long the run has been watched so far."""
        return self._totals.now[0]

    @property
    def idle(self) -> float:
        """The seconds in which an event loop of the main thread had nothing to do so far."""
        return self._sampler.idle

    @property
    def seconds_spent(self) -> float:
        """What recording took of the processor's time so far."""
        own = self._own.seconds + self._notes.seconds + self.hooks.seconds
        looks = self.budget.spent - self.budget.measured
        return own + looks + self._sampler.seconds_spent

    def _due(self) -> None:
        """Write what is known so far, now and then; asked by the sampler's thread."""
        if time.perf_counter() >= self._write_at:
            begin = time.thread_time()
            self.write("running")
            took = time.thread_time() - begin
            self._write_at = time.perf_counter() + max(WRITE_EVERY, took / WRITE_SHARE)

    def write(self, ended: str) -> None:
        """Write the trace; only the process that began it does."""
        if os.getpid() != self._process:
            return
        with self._lock:
            # All that the sampler's thread does is measured there.
            self.uncounted(
                "writing the trace", lambda: write_trace(self._path, [self.trace(ended)])
            )

    def finish(self, ended: str = "exit") -> None:
        """Stop sampling, and write the last of it."""
        if os.getpid() == self._process:
            self._sampler.stop()
            self.imports.remove()
            found = self.guarded("lines", lambda: lines_reached(self.code, self.main))
            self._reached = found or {}
            self.write(ended)
            self.active = False
        else:
            self._sampler.give_up()

    def trace(self, ended: str) -> Trace:
        """The run so far."""
        sampler = self._sampler
        seconds, cpu, coreless, importing, main_cpu, children_cpu = self._totals.now
        samples, stacks = sampler.samples()
        # Once they have parted, nobody knows any more.
        self._rank = rank_of_process() or self._rank
        return Trace(
            command=self._command,
            folder=self._folder,
            began=self._began,
            seconds=seconds,
            importing=max(0.0, importing),
            cpu_seconds=cpu,
            coreless=max(0.0, coreless),
            python=platform.python_version(),
            versions={
                name: str(getattr(sys.modules[name], "__version__", ""))
                for name in FRAMEWORKS
                if name in sys.modules
            },
            machine={"system": platform.platform(), "cores": os.cpu_count() or 1},
            interval=sampler.interval,
            samples=samples,
            stacks=stacks,
            sampled=sampler.taken,
            memory=tuple(sampler.memory),
            clocks=tuple(clock.told() for clock in list(self._clocks.values())),
            observations=tuple(
                entry.told(kind, place) for (kind, place), entry in list(self._sums.items())
            ),
            reached={path: tuple(lines) for path, lines in self._reached.items()},
            problems=tuple(self._problems),
            overhead=max(0.0, self.seconds_spent),
            ended=ended,
            process=self._process,
            rank=self._rank[0],
            ranks=self._rank[1],
            parent=self._parent,
            role=role_of_process(self._command),
            startup=self._startup,
            children_cpu_seconds=max(0.0, children_cpu),
            unwatched=self._totals.skipped,
            idle=sampler.idle,
            waited=sampler.waited,
            main_cpu_seconds=main_cpu,
            threads=sampler.threads(),
        )


def _now() -> str:
    return datetime.datetime.now(tz=datetime.timezone.utc).isoformat(timespec="seconds")
