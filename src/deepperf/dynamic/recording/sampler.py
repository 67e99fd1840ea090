"""Where the main thread's time goes: looks while it computes and while it waits; and the memory."""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from types import FrameType

from deepperf.dynamic.recording.clock import clock_of, resident_bytes, seconds_without_core
from deepperf.dynamic.recording.forking import THREADS
from deepperf.dynamic.recording.frames import frames_of_others, frames_that_stay
from deepperf.dynamic.recording.idle import is_idle
from deepperf.dynamic.recording.looks import Doing, summed
from deepperf.dynamic.recording.operators import Operators
from deepperf.dynamic.recording.places import Place, UserCode
from deepperf.dynamic.recording.profiling_timer import ProfilingTimer
from deepperf.dynamic.recording.tasks import is_asleep
from deepperf.dynamic.recording.threads import OtherThreads
from deepperf.dynamic.recording.trace import Samples, Stack, ThreadTime

INTERVAL = 0.02
"""Seconds of the main thread that a look stands for: 50 a second tell shares of a per cent in a run
of a minute."""
PAUSE = 0.08
"""Seconds between two looks of the thread that sees what waits."""
SHARE = 0.003
"""Part of the time that looking may take: where stacks are deep and looks costly they are rarer."""
OF_THREAD = 0.002
"""The same of the looks that another thread takes, of the time in which the main one worked or
waited: while others have all cores, looks by the clock would be too many."""
ADAPT_EVERY = 50
"""Looks after which that is seen to."""
KNOWN = 400
"""Looks by the timer by which large shares are known to three hundredths. What the other thread
does for each of them counts from there on."""
SLOWEST = 0.1
LONGEST_PAUSE = 0.5
PROMPT = 0.0005
"""Seconds that the interpreter may let the sampler wait for its turn where it sees all by itself.
By default it is 5 ms, in which Python code runs on to the next operation that gives way."""
HIDDEN = 0.1
"""Part of the time that threads of libraries compute, while the main one stands, from which on they
may run Python in calls that are over before they have to give way to a look."""
BETWEEN = 4_000_000
"""Nanoseconds of a call of another thread that are looked into at most."""
WHOLE_EVERY = 0.1
"""Seconds between two looks at the memory."""
MOST_POINTS = 1024
"""Points in time kept; from there on every other one is dropped."""
MOST_STACKS = 8192
"""Stacks that are told apart; of any other only its innermost line is kept."""
MOST_CALLS = 256
"""Ways through libraries that are told apart for one line."""
LONGEST_HELD = 1.0
"""Seconds of waiting after which they are charged to whatever is seen: elsewhere than on Linux
nobody says whether a thread sleeps."""


class Sampler:
    """Looks at the main thread by a timer while it computes, from a thread of its own while it
    waits. `seconds_spent` is the processor's time that this takes.

    No looks are taken while `is_importing` says so; `after` is called after each of the thread.
    `listeners` are shown the innermost frame of the main thread once for each `interval` of its
    time, in either thread; `watchers` now and then, in the sampler's; `prompt` ones also whenever
    it has computed for an `interval`, while the operation that it is at goes on. They must not
    raise, nor keep it. `others` looks at the other threads.
    """

    def __init__(
        self,
        code: UserCode,
        is_importing: Callable[[], bool],
        after: Callable[[], None],
        problem: Callable[[str], None],
        interval: float = INTERVAL,
    ) -> None:
        self.interval = interval
        self.taken = 0
        self.idle = self.waited = 0.0
        self.memory: list[tuple[float, int]] = []
        self.listeners: list[Callable[[FrameType], None]] = []
        self.watchers: list[Callable[[FrameType], None]] = []
        self.prompt: list[Callable[[FrameType], None]] = []
        self._code = code
        self._main = threading.get_ident()
        self._native = threading.get_native_id()
        self._is_importing = is_importing
        self._after = after
        self._stacks: dict[tuple[tuple[Place, ...], str, Doing], int] = {}
        self._calls: dict[Place, Counter[tuple[str, ...]]] = {}
        self._operators = Operators()
        self.others = OtherThreads(code, self._main)
        self._timer = ProfilingTimer(self._tick, problem)
        self._clock = clock_of(self._main)
        self._began_with = 0.0
        self._ticks = self._next = 0
        self._in_ticks = self._in_thread = self._in_meets = 0.0
        self._last = self._coreless = 0.0
        self._met: list[Place] = []
        self._begin: Callable[[], object] | None = None
        self._worked = self._stood = 0.0
        self._before = self._paced = 0.0, 0.0, 0.0
        self._of_all = 0.0
        self._may_hide = False
        self._listening = threading.Lock()
        self._stop = threading.Event()
        self._is_on = threading.Event()
        self._is_on.set()
        self._thread = threading.Thread(target=self._run, name=THREADS, daemon=True)
        self._start = time.perf_counter()
        self._whole_at, self._whole_every = 0.0, WHOLE_EVERY
        self._unhurried = sys.getswitchinterval()

    def start(self) -> int | None:
        """Begin to look; the thread that does."""
        self._start = time.perf_counter()
        self._last = time.thread_time()
        self._coreless = seconds_without_core(self._native)
        self._began_with = self._main_clock()
        self._before = self._paced = self._now()
        if self._clock is None or not self._timer.start(self.interval):
            self._hurry()
        self._thread.start()
        return self._thread.ident

    def pause(self) -> None:
        """Look no more until `resume`."""
        self._is_on.clear()
        self._timer.pause()
        sys.setswitchinterval(self._unhurried)

    def resume(self, missed: float = 0.0) -> None:
        """Look again; of the time, so much was missed."""
        self._start += missed
        self.others.skip()
        self._last = time.thread_time()
        self._coreless = seconds_without_core(self._native)
        self._before = self._paced = self._now()
        self._timer.resume()
        self._hurry()
        self._is_on.set()

    def stop(self) -> None:
        self._timer.end()
        self._stop.set()
        self._is_on.set()
        sys.setswitchinterval(self._unhurried)
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)

    def forget(self) -> None:
        """In a forked child, in which nothing of this runs."""
        self._timer.forget()

    def give_up(self) -> None:
        """In a forked child that ends before it began: a signal without a handler would kill it."""
        self._begin = None
        self._timer.end()

    def wait_for_work(self, begin: Callable[[], object]) -> None:
        """In a forked child: begin again once it has computed for a moment, after calling `begin`.

        One that runs another program, or ends, at once is left alone.
        """
        self._main, self._native = threading.get_ident(), threading.get_native_id()
        self._clock = clock_of(self._main)
        listeners = self.others.listeners
        self.others = OtherThreads(self._code, self._main)
        self.others.listeners = listeners
        self._listening = threading.Lock()
        self._stop, self._is_on = threading.Event(), threading.Event()
        self._is_on.set()
        self._stacks = {}
        self._calls = {}
        self.memory = []
        self._met = []
        self._start = time.perf_counter()
        self.taken = self._ticks = self._next = 0
        self.idle = self.waited = self._in_ticks = self._in_thread = self._in_meets = 0.0
        self._coreless = seconds_without_core(self._native)
        self._last = self._worked = self._stood = self._whole_at = self._began_with = 0.0
        self._before = self._paced = self._now()
        self._begin = begin
        self._timer.begin_in_fork()

    def samples(self) -> tuple[tuple[Samples, ...], tuple[Stack, ...]]:
        """What was seen so far of the main thread, by line and by stack."""
        return summed(dict(self._stacks), self._calls)

    def threads(self) -> tuple[ThreadTime, ...]:
        """What was seen so far of the others."""
        return self.others.told(self.interval)

    @property
    def main_cpu_seconds(self) -> float:
        """What the main thread has had of the processor since the start, elsewhere than on Linux
        all threads."""
        return self._main_clock() - self._began_with

    def _main_clock(self) -> float:
        return time.process_time() if self._clock is None else time.clock_gettime(self._clock)

    @property
    def seconds_spent(self) -> float:
        """What looking took of the processor."""
        return self._in_ticks + self._in_thread

    def _hurry(self) -> None:
        """Where there is no timer, the thread is to come to its turn soon."""
        if not self._timer.is_on:
            sys.setswitchinterval(min(PROMPT, self._unhurried))

    def _tick(self, frame: FrameType | None) -> None:
        """The main thread has computed; called in it, between two of its instructions."""
        if self._begin is not None:
            begin, self._begin = self._begin, None
            begin()
            # `threading` has a lock of its own for this, which the main thread may hold.
            _thread.start_new_thread(self._run, ())
        began, coreless = time.thread_time(), seconds_without_core(self._native)
        # While others had all cores it was as far from being done as while it computed.
        worked = began - self._last + coreless - self._coreless
        self._coreless = coreless
        # What listening costs is ours, and no line's: it would look like the program's own.
        is_quiet = self._is_importing() or not self._is_on.is_set()
        if frame is not None and not is_quiet and not self._code.is_listener(frame):
            self._met = self._met or self._stack(frame)
            self._worked = self._charge(frame, self._worked + worked, Doing.WORKING)
        self._met = []
        self._last = time.thread_time()
        self._in_ticks += self._last - began
        self._ticks += 1
        if self._ticks % ADAPT_EVERY == 0:
            met = self._in_meets if self._ticks >= KNOWN else 0.0
            pause = (self._in_ticks + met) / self._ticks / SHARE
            self._timer.rearm(min(max(SLOWEST, self.interval), max(self.interval, pause)))

    def _stack(self, frame: FrameType) -> list[Place]:
        """The lines that were at work before a signal was dealt with at a frame."""
        line = self._operators.line(frame)
        if line is None:
            if frame.f_back is None:
                return self._code.stack(frame)
            frame = frame.f_back
            line = self._operators.line_of_caller(frame)
        stack = self._code.stack(frame)
        if line and self._code.path_of(frame.f_code.co_filename):
            stack[0] = stack[0]._replace(line=line)
        return stack

    def _charge(self, frame: FrameType, seconds: float, doing: Doing) -> float:
        """Take as many looks as some seconds stand for; what is left of these."""
        looks = int(seconds / self.interval)
        if looks:
            self._look(frame, looks, doing)
        return seconds - looks * self.interval

    def _look(self, frame: FrameType, looks: int, doing: Doing) -> None:
        self.taken += looks
        package = self._code.package_of(frame)
        stack = tuple(dict.fromkeys(self._met or self._code.stack(frame)))
        key = stack, package, doing
        if key not in self._stacks and len(self._stacks) >= MOST_STACKS:
            key = stack[:1], package, doing
        self._stacks[key] = self._stacks.get(key, 0) + looks
        if stack and package:
            calls = self._calls.setdefault(stack[0], Counter())
            below = self._code.calls_below(frame)
            # What is met once it is full is told by what called it.
            calls[below if len(calls) < MOST_CALLS or below in calls else below[:1]] += looks
        # Both threads look: one that comes while the other is at it is not listened to.
        if self._listening.acquire(blocking=False):
            try:
                for listener in self.listeners:
                    for _ in range(looks):
                        listener(frame)
            finally:
                self._listening.release()

    def _run(self) -> None:
        number, pause = 0, PAUSE
        while True:
            # By the clock: ticks come while the program computes, and would show it so more often.
            left = max(0.0, self._before[0] + pause - time.perf_counter())
            has_ticked = self._timer.wait(left if self._timer.is_on else min(pause, self.interval))
            if self._stop.is_set():
                return
            if not self._is_on.is_set():
                self._is_on.wait()
                continue
            if has_ticked:
                with frames_that_stay():
                    self._meet()
                before, self._in_thread = self._in_thread, time.thread_time()
                self._in_meets += self._in_thread - before
                if time.perf_counter() - self._before[0] < pause:
                    continue
            if self._may_hide:
                _come_in_between()
            with frames_that_stay():
                self._look_at_all()
            if time.perf_counter() - self._start >= self._whole_at:
                self._look_at_the_whole()
            number += 1
            self._after()
            self._in_thread = time.thread_time()
            if number % ADAPT_EVERY == 0:
                pause = self._pause((self._in_thread - self._in_meets) / number)

    def _pause(self, cost: float) -> float:
        """How long to wait between looks that cost so much each."""
        (then, _, coreless), self._paced = self._paced, self._before
        passed = max(self._paced[0] - then, PAUSE)
        own = max(PAUSE, passed - (self._paced[2] - coreless))
        return min(LONGEST_PAUSE, max(PAUSE, cost / OF_THREAD * passed / own))

    def _meet(self) -> None:
        """Where the main thread is when its signal comes: an operator, such as that of a matrix
        product, is over before the handler runs, which would charge the next call instead."""
        ticks = self._ticks
        is_known = ticks != self._next or bool(self._met)
        if is_known:
            # It has dealt with its signal already.
            self._next = max(ticks, self._next)
        if is_known and not self.prompt:
            return
        frame = frames_of_others().get(self._main)
        if frame is None or self._is_importing():
            return
        if not is_known:
            self._met = self._code.stack(frame)
            self._next = ticks + 1
        for look in self.prompt:
            look(frame)

    def _look_at_all(self) -> None:
        frames = frames_of_others()
        frame = frames.get(self._main)
        self.others.look(frames)
        before, self._before = self._before, self._now()
        # Asked behind the look: a pause may have begun before it.
        if self._is_importing() or frame is None or not self._is_on.is_set():
            return
        passed, worked, coreless = (
            now - then for now, then in zip(self._before, before, strict=True)
        )
        of_all = time.process_time()
        aside = of_all - self._of_all - worked - self.others.worked
        self._of_all = of_all
        is_hidden = worked < passed / 2 and aside >= HIDDEN * passed
        self._may_hide = self.others.has_strangers or is_hidden
        if self._timer.is_on:
            self._wait(frame, max(0.0, passed - worked - coreless))
        elif not self._code.is_listener(frame):
            self._worked = self._charge(frame, self._worked + passed, Doing.WORKING)
        for look in (*self.prompt, *self.watchers):
            look(frame)

    def _wait(self, frame: FrameType, stood: float) -> None:
        """The main thread stood for so long: at the line at which it is seen to sleep."""
        self._stood += stood
        if self._stood < self.interval:
            return
        if is_asleep(self._native) or self._stood > LONGEST_HELD:
            if is_idle(frame):
                self.idle += self._stood
                self._stood = 0.0
            else:
                self.waited += self._stood
                self._stood = self._charge(frame, self._stood, Doing.WAITING)
                self.waited -= self._stood

    def _now(self) -> tuple[float, float, float]:
        """The time, the main thread's of the processor, and that in which it had none to run on."""
        return time.perf_counter(), self.main_cpu_seconds, seconds_without_core(self._native)

    def _look_at_the_whole(self) -> None:
        now = time.perf_counter() - self._start
        self._whole_at = now + self._whole_every
        held = resident_bytes()
        if held:
            self.memory.append((now, held))
        if len(self.memory) >= MOST_POINTS:
            self.memory = self.memory[::2]
            self._whole_every *= 2


def _come_in_between() -> None:
    """Have the next look come while a short call goes on: by itself, it comes where one ends."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(PROMPT, before))
    # As if by chance: calls may all take equally long.
    time.sleep(PROMPT + time.perf_counter_ns() % BETWEEN / 1e9)
    sys.setswitchinterval(before)
