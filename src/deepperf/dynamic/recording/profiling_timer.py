"""A timer of the system's that interrupts the main thread each time the process has computed."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from deepperf.dynamic.recording.thread_timer import ThreadTimer
from deepperf.dynamic.recording.unseen import standing_for

BYTES = 4096
IN_USE = (
    "the program uses SIGPROF itself: from then on lines were looked at from another thread, which "
    "sees where Python gives way rather than where time goes"
)


class ProfilingTimer:
    """Calls `tick` with the frame that the main thread is at; it must not raise.

    It is called only once the operation is over that the signal came in; `wait` ends as soon as the
    signal comes. `has_gone` is told why, once, when the program wants the signal for itself.
    """

    def __init__(
        self, tick: Callable[[FrameType | None], None], has_gone: Callable[[str], None]
    ) -> None:
        self.is_on = False
        self._tick = tick
        self._has_gone = has_gone
        self._interval = 0.0
        self._is_ours = False
        self._ends: tuple[int, int] | None = None
        self._of_thread: ThreadTimer | None = None

    def start(self, interval: float) -> bool:
        """Begin; whether that could be: on this system, and in a program without such a timer."""
        if not hasattr(signal, "setitimer") or not _is_free():
            return False
        self._give_way_when_asked()
        self._interval = interval
        self._is_ours = True
        signal.signal(signal.SIGPROF, self._handle)
        # System calls go on after it by themselves.
        signal.siginterrupt(signal.SIGPROF, False)  # noqa: FBT003
        self._have_told()
        self._of_thread = _of_thread()
        self.resume()
        return True

    def rearm(self, interval: float) -> None:
        """Tick at another interval from now on."""
        self._interval = interval
        if self.is_on:
            self.resume()

    def resume(self) -> None:
        if self._is_ours:
            self.is_on = True
            self._set(self._interval)

    def pause(self) -> None:
        if self._is_ours and self.is_on:
            self.is_on = False
            self._set(0.0)

    def end(self) -> None:
        """Tick no more, and leave the signal to whoever comes next."""
        self.pause()
        if self._is_ours and threading.current_thread() is threading.main_thread():
            self._is_ours = False
            # One that is on its way would end the program if nobody handled it.
            _set_handler(signal.SIGPROF, signal.SIG_IGN)
            told = signal.set_wakeup_fd(-1)
            if self._ends is None or told != self._ends[1]:
                signal.set_wakeup_fd(told)

    def wait(self, seconds: float) -> bool:
        """Wait for so long, or until a signal comes: whether one did. In another thread."""
        if not self.is_on or self._ends is None:
            time.sleep(seconds)
            return False
        if not select.select(self._ends[:1], (), (), seconds)[0]:
            return False
        with contextlib.suppress(BlockingIOError):
            os.read(self._ends[0], BYTES)
        return True

    def begin_in_fork(self) -> None:
        """Tick in a forked child, whose handler is that of its parent."""
        if self._interval and signal.getsignal(signal.SIGPROF) == self._handle:
            self._is_ours = True
            self._ends = None
            self._of_thread = _of_thread()
            self.resume()

    def forget(self) -> None:
        """In a forked child: it has no timer, but the handler."""
        if self._is_ours:
            self.is_on = self._is_ours = False
            signal.set_wakeup_fd(-1)

    def _set(self, interval: float) -> None:
        if self._of_thread is None:
            _set_timer(signal.ITIMER_PROF, interval, interval)
        else:
            self._of_thread.set(interval)

    def _have_told(self) -> None:
        """Have a byte written as soon as the signal comes, unless the program wants such bytes."""
        self._ends = os.pipe()
        for end in self._ends:
            os.set_blocking(end, False)
        before = signal.set_wakeup_fd(self._ends[1], warn_on_full_buffer=False)
        if before != -1:
            signal.set_wakeup_fd(before)

    def _handle(self, _number: int, frame: FrameType | None) -> None:
        # One that was on its way when the timer was stopped.
        if self.is_on:
            self._tick(frame)

    def _give_way(self) -> None:
        if self._is_ours:
            self.pause()
            self._is_ours = False
            _set_handler(signal.SIGPROF, signal.SIG_DFL)
            self._has_gone(IN_USE)

    def _give_way_when_asked(self) -> None:
        @standing_for(_set_handler)
        def set_handler(number: Any, handler: Any) -> Any:
            if number == signal.SIGPROF and handler != self._handle:
                self._give_way()
            return _set_handler(number, handler)

        @standing_for(_set_timer)
        def set_timer(which: Any, *times: Any) -> Any:
            if which == signal.ITIMER_PROF:
                self._give_way()
            return _set_timer(which, *times)

        setattr(signal, "signal", set_handler)  # noqa: B010
        setattr(signal, "setitimer", set_timer)  # noqa: B010
        # Another program in this process would be killed by the signal, which it does not handle.
        for name in ("execv", "execve"):
            setattr(os, name, self._paused(getattr(os, name)))

    def _paused(self, execute: Callable[..., Any]) -> Callable[..., Any]:
        @standing_for(execute)
        def executed(*arguments: Any) -> Any:
            self.pause()
            try:
                return execute(*arguments)
            finally:
                self.resume()

        return executed


_set_handler = signal.signal
_set_timer: Any = getattr(signal, "setitimer", None)


def _of_thread() -> ThreadTimer | None:
    """A timer that signals to this thread alone; None where the system has none."""
    try:
        return ThreadTimer(signal.SIGPROF)
    except OSError:
        return None


def _is_free() -> bool:
    if threading.current_thread() is not threading.main_thread():
        return False
    is_default = signal.getsignal(signal.SIGPROF) in (signal.SIG_DFL, signal.SIG_IGN, None)
    return is_default and signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
