"""The signal of the sampler's timer comes to the main thread, whichever thread computes."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest

from deepperf.dynamic.recording.thread_timer import ThreadTimer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="such timers are Linux's")


def computed(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_a_thread_that_computes_is_not_interrupted_for_the_main_one() -> None:
    met: list[int] = []
    before = signal.signal(signal.SIGPROF, lambda number, _: met.append(number))
    timer = ThreadTimer(signal.SIGPROF)
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})
        timer.set(0.01)
        other = threading.Thread(target=computed, args=(0.1,))
        other.start()
        other.join()
        assert met == [], "the other one would have taken a signal of the process"
        assert signal.SIGPROF in signal.sigpending()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
        computed(0.1)
        timer.set(0.0)
        assert len(met) >= 2
        ticked = len(met)
        computed(0.05)
        assert len(met) == ticked
    finally:
        timer.set(0.0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
        signal.signal(signal.SIGPROF, before)


def test_signals_of_the_timer_are_handled_on_a_stack_of_their_own() -> None:
    program = (
        "import ctypes, signal\n"
        "from deepperf.dynamic.recording import thread_timer as timers\n"
        "timer, now = timers.ThreadTimer(signal.SIGPROF), timers._Stack()\n"
        "ctypes.CDLL(None).sigaltstack(None, ctypes.byref(now))\n"
        "print(now.size == timers.STACK, now.flags & timers.SS_DISABLE)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["True", "0"]
