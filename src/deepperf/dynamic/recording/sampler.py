"""Looks at the main thread now and then: which line it is at, and how much memory is held."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

from deepperf.dynamic.recording.clock import resident_bytes
from deepperf.dynamic.recording.forking import THREADS
from deepperf.dynamic.recording.places import Place, UserCode
from deepperf.dynamic.recording.trace import Samples

INTERVAL = 0.02
"""Seconds between two looks: 50 a second tell shares of a per cent in a run of a minute."""
SHARE = 0.003
"""Part of the time that looking may take: where stacks are deep and looks costly they are rarer."""
ADAPT_EVERY = 250
"""Looks after which that is seen to: it is their mean, so that no part of a run is looked at more
often than another."""
SLOWEST = 0.1
PROMPT = 0.0005
"""Seconds that the interpreter may let the sampler wait for its turn. By default it is 5 ms, in
which Python code runs on to the next operation that gives way: samples would pile up there."""
WHOLE_EVERY = 5
"""Looks at the stack for one at the memory."""
MOST_POINTS = 1024
"""Points in time kept; from there on every other one is dropped."""
MAKES_FRAMES_LATE: bool = sys.version_info[:2] == (3, 11)
"""Whether Python makes the objects for frames when asked for them, and collects garbage then."""


class Sampler:
    """A thread of its own; `seconds_spent` is the time that it took from the others.

    No samples are taken while `is_idle` says so; `after` is called after each look.
    `listeners` are shown the innermost frame of each sample; they must not raise, nor keep it.
    """

    def __init__(
        self,
        code: UserCode,
        thread: int,
        is_idle: Callable[[], bool],
        after: Callable[[], None],
    ) -> None:
        self.taken = 0
        self.memory: list[tuple[float, int]] = []
        self.seconds_spent = 0.0
        self.listeners: list[Callable[[FrameType], None]] = []
        self._code = code
        self._watched = thread
        self._covered = 0.0
        self._is_idle = is_idle
        self._after = after
        self._counts: dict[Place, list[int]] = {}
        self._stop = threading.Event()
        self._is_on = threading.Event()
        self._is_on.set()
        self._thread = threading.Thread(target=self._run, name=THREADS, daemon=True)
        self._start = time.perf_counter()
        self._skip = 1
        self._unhurried = sys.getswitchinterval()

    def start(self) -> int | None:
        """Begin to look; the thread that does."""
        self._start = time.perf_counter()
        sys.setswitchinterval(min(PROMPT, self._unhurried))
        self._thread.start()
        return self._thread.ident

    def pause(self) -> None:
        """Look no more until `resume`."""
        self._is_on.clear()
        sys.setswitchinterval(self._unhurried)

    def resume(self) -> None:
        sys.setswitchinterval(min(PROMPT, self._unhurried))
        self._is_on.set()

    def stop(self) -> None:
        self._stop.set()
        self._is_on.set()
        sys.setswitchinterval(self._unhurried)
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)

    def samples(self) -> tuple[Samples, ...]:
        """What was seen so far, by line."""
        return tuple(
            Samples(place.file, place.line, place.function, *counts)
            for place, counts in list(self._counts.items())
        )

    @property
    def interval(self) -> float:
        """Seconds between two looks, as they came about."""
        return self._covered / self.taken if self.taken else INTERVAL

    def _run(self) -> None:
        number = 0
        pause = INTERVAL
        while True:
            began = time.perf_counter()
            # Waiting for an event would take as long as half a look.
            time.sleep(pause)
            if self._stop.is_set():
                return
            if not self._is_on.is_set():
                self._is_on.wait()
                continue
            if not self._is_idle():
                with frames_that_stay():
                    self._sample(began)
            if number % (WHOLE_EVERY * self._skip) == 0:
                self._look_at_the_whole()
            number += 1
            self._after()
            self.seconds_spent = time.thread_time()
            if number % ADAPT_EVERY == 0:
                pause = min(SLOWEST, max(INTERVAL, self.seconds_spent / number / SHARE))

    def _sample(self, began: float) -> None:
        frame = sys._current_frames().get(self._watched)
        # What listening costs is ours, and no line's: it would look like the program's own.
        if frame is not None and not self._code.is_listener(frame):
            self._covered += time.perf_counter() - began
            self._look(frame)

    def _look(self, frame: FrameType) -> None:
        self.taken += 1
        is_own = bool(self._code.path_of(frame.f_code.co_filename))
        seen: set[Place] = set()
        for number, place in enumerate(self._code.stack(frame)):
            if place in seen:
                continue
            seen.add(place)
            counts = self._counts.setdefault(place, [0, 0, 0])
            counts[0] += 1
            counts[1] += number == 0
            counts[2] += number == 0 and is_own
        for listener in self.listeners:
            listener(frame)

    def _look_at_the_whole(self) -> None:
        now = time.perf_counter() - self._start
        held = resident_bytes()
        if held:
            self.memory.append((now, held))
        if len(self.memory) >= MOST_POINTS:
            self.memory = self.memory[::2]
            self._skip *= 2


@contextlib.contextmanager
def frames_that_stay() -> Iterator[None]:
    """Collect no garbage while another thread's frames are looked at.

    Python 3.11 makes the objects that stand for frames when they are asked for. Where that
    collects garbage, finalizers may let the other thread run, and return from the very function
    whose frame is being made: then its memory is written to though it is something else by now.
    From 3.12 on nothing is collected there; before 3.11 frames were objects from the start.
    """
    if not (MAKES_FRAMES_LATE and gc.isenabled()):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
