"""Two short looks at a PyTorch training on a CUDA device: how long the device is busy, and where
the program is while it is not; and which lines wait for the device."""

from __future__ import annotations

import atexit
import contextlib
import re
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

from deepperf.dynamic.frameworks.idle_gaps import Interval, gaps_of, idle_at, merged
from deepperf.dynamic.frameworks.torch_compiling import after_optimizer_steps
from deepperf.dynamic.recording.accelerators import WHOLE
from deepperf.dynamic.recording.forking import THREADS
from deepperf.dynamic.recording.frames import MAKES_FRAMES_LATE, frames_of_others
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape

WINDOW, IDLE, SYNCED = "device window", "idle device", "waits for the device"
FIRST_STEP = 8
"""Steps before the first look: what comes before is the warm-up."""
LATER = 2.0
"""Seconds from the first step until then: to start listening to a device takes a part of one."""
LONG = 0.5
"""Seconds that a look takes at least."""
STEPS = 3
"""Steps that it lasts at least."""
LOOK_EVERY = 0.001
MOST_EVENTS = 400_000
MOST_PLACES = 8
WAITS = ("Synchronize", "cudaMemcpy", "cuMemcpy")
"""How calls are named in which the host waits for the device."""
SENT_OFF = "Async"
WARNS = 1
"""The mode in which PyTorch warns of what waits."""
PROTOTYPE = "Synchronization debug mode is a prototype"
MESSAGE = "called a synchronizing CUDA operation"


def follow(tape: Tape) -> None:
    """Look once, when a training on CUDA has warmed up."""
    window = _Window(tape)
    after_optimizer_steps(tape, window.step)
    tape.imports.after("torch.autograd.profiler", window.give_way)


class _Window:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._steps = 0
        self._began = 0.0
        self._opened_at = 0
        self._opened = 0.0
        self._profile: Any = None
        self._looks: _Looks | None = None
        self._waits: _Waits | None = None
        self._is_over = False
        self._is_own = False
        self._cost = 0.0

    def give_way(self, profiler: Any) -> None:
        """A program that listens by PyTorch's profiler itself is left alone: two cannot."""
        prepare = profiler._prepare_profiler

        def prepared(*arguments: Any, **named: Any) -> Any:
            if not self._is_own:
                self._tape.guarded(WINDOW, self._stop)
            return prepare(*arguments, **named)

        profiler._prepare_profiler = prepared

    def step(self, optimizer: Any) -> None:
        """A step has ended; called by what makes it, in the program's thread."""
        if self._is_over or not self._tape.active:
            return
        self._steps += 1
        now = time.perf_counter()
        self._began = self._began or now
        if not self._opened:
            if self._steps >= FIRST_STEP and now - self._began >= LATER:
                self._guarded(lambda: self._open(optimizer))
        elif self._steps - self._opened_at >= STEPS and now - self._opened >= LONG:
            self._guarded(self._go_on)

    def _guarded(self, work: Callable[[], None]) -> None:
        begin = time.process_time()
        # After an error nothing is tried again.
        self._is_over = True
        self._tape.uncounted(WINDOW, work)
        self._cost += time.process_time() - begin
        self._tape.budget.charge(time.process_time() - begin)

    def _open(self, optimizer: Any) -> None:
        torch: Any = sys.modules["torch"]
        kinds = {one.device.type for group in optimizer.param_groups for one in group["params"]}
        is_main = threading.current_thread() is threading.main_thread()
        # What is no CUDA device, or says nothing of itself, is looked at by nobody.
        if "cuda" not in kinds or torch.version.cuda is None or not is_main:
            return
        atexit.register(lambda: self._tape.guarded(WINDOW, self._stop))
        profiler = torch.autograd.profiler
        self._is_own = True
        try:
            self._profile = profiler.profile(use_cpu=False, use_device="cuda", use_kineto=True)
            self._profile.__enter__()
        finally:
            self._is_own = False
        self._looks = _Looks(self._tape)
        self._opened, self._opened_at = time.perf_counter(), self._steps
        self._is_over = False

    def _go_on(self) -> None:
        if self._profile is not None:
            steps = self._steps - self._opened_at
            profile, self._profile = self._profile, None
            looks, self._looks = self._looks, None
            if looks is not None:
                seen = looks.end()
                profile.__exit__(None, None, None)
                self._note(profile.kineto_results, seen, looks.whole, steps)
            self._waits = _Waits(self._tape)
            self._opened, self._opened_at = time.perf_counter(), self._steps
            self._is_over = False
        elif self._waits is not None:
            self._waits.end(self._steps - self._opened_at)
            self._waits = None

    def _stop(self) -> None:
        self._is_over = True
        profile, self._profile = self._profile, None
        if profile is not None:
            if self._looks is not None:
                self._looks.end()
            profile.__exit__(None, None, None)
        if self._waits is not None:
            self._waits.end(0)

    def _note(
        self, results: Any, looks: list[tuple[float, Place]], whole: Interval, steps: int
    ) -> None:
        busy: list[Interval] = []
        copies, waits = 0.0, []
        for event in results.events()[:MOST_EVENTS]:
            begin = event.start_ns() / 1e9
            interval = begin, begin + event.duration_ns() / 1e9
            name = event.name()
            if "CUDA" in str(event.device_type()):
                busy.append(interval)
                copies += (interval[1] - begin) * name.startswith("Memcpy")
            elif SENT_OFF not in name and any(one in name for one in WAITS):
                waits.append(interval)
        count = len(busy)
        at_work = merged(busy)
        gaps = gaps_of(at_work, whole)
        seconds = whole[1] - whole[0]
        idle = sum(end - begin for begin, end in gaps)
        self._tape.note(WINDOW, WHOLE, count=0)
        self._tape.detail(WINDOW, WHOLE).update(
            seconds=seconds,
            busy=max(0.0, seconds - idle),
            copies=copies,
            kernels=count,
            steps=steps,
            waits=len(waits),
            cost=self._cost,
        )
        for one in idle_at(gaps, looks, waits)[:MOST_PLACES]:
            self._tape.note(IDLE, one.spot, count=len(one.gaps), seconds=one.seconds)
            self._tape.detail(IDLE, one.spot).update(
                part=one.seconds / seconds,
                waited=one.waited / seconds,
                launching=one.launching / seconds,
            )


class _Looks:
    """Where the main thread is, some hundred times a second, by the clock that devices are told
    of by."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._main = threading.main_thread().ident or 0
        self._found: list[tuple[float, Place]] = []
        self._is_over = threading.Event()
        self.whole = time.time_ns() / 1e9, 0.0
        self._thread = threading.Thread(target=self._run, name=f"{THREADS} window", daemon=True)
        self._thread.start()

    def end(self) -> list[tuple[float, Place]]:
        self._is_over.set()
        self.whole = self.whole[0], time.time_ns() / 1e9
        self._thread.join(timeout=1.0)
        return self._found

    def _run(self) -> None:
        # There two threads that look would have to agree on when garbage is collected.
        if MAKES_FRAMES_LATE:
            return
        while not self._is_over.wait(LOOK_EVERY):
            frame = frames_of_others().get(self._main)
            place = None if frame is None else self._tape.code.place(frame)
            frame = None
            if place is not None:
                self._found.append((time.time_ns() / 1e9, place))


class _Waits:
    """Which lines call what waits for the device: PyTorch warns of it when it is asked to."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._counts: Counter[Place] = Counter()
        # What stands above it warns that it is a prototype.
        self._torch: Any = sys.modules["torch"]._C
        self._before = self._torch._cuda_get_sync_debug_mode()
        self._show = warnings.showwarning
        # By `warnings.filterwarnings`, what the program was warned of once would be told again.
        hidden: Any = ("ignore", re.compile(PROTOTYPE), Warning, None, 0)
        self._heard: Any = ("always", re.compile(MESSAGE), Warning, None, 0)
        filters: list[Any] = warnings.filters  # type: ignore[assignment]
        filters[:0] = [hidden, self._heard]
        setattr(warnings, "showwarning", self._take)  # noqa: B010
        self._torch._cuda_set_sync_debug_mode(WARNS)
        filters.remove(hidden)

    def _take(self, message: Any, *told: Any, **named: Any) -> None:
        if MESSAGE not in str(message):
            self._show(message, *told, **named)
            return
        with contextlib.suppress(Exception):
            place = self._tape.code.place(sys._getframe(1))
            if place is not None:
                self._counts[place] += 1

    def end(self, steps: int) -> None:
        """Listen no more, and note what was heard in so many steps."""
        self._torch._cuda_set_sync_debug_mode(self._before)
        # Whoever has replaced it since puts it back, and then hears nothing of ours.
        if warnings.showwarning == self._take:
            setattr(warnings, "showwarning", self._show)  # noqa: B010
        filters: list[Any] = warnings.filters  # type: ignore[assignment]
        if self._heard in filters:
            filters.remove(self._heard)
        for place, count in self._counts.most_common(MOST_PLACES):
            if steps:
                self._tape.note(SYNCED, place, count=count, detail={"steps": steps})
