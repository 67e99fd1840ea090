"""Frames of a running thread are looked at without harming it."""

from __future__ import annotations

import subprocess
import sys

LOOKED_AT_ALL_THE_TIME = """
import faulthandler
import sys
import threading
import time

from deepperf.dynamic.recording import sampler
from deepperf.dynamic.recording.places import UserCode

faulthandler.enable()
main = threading.get_ident()
sampler.INTERVAL, sampler.SHARE, sampler.WHOLE_EVERY = 0.0001, 1.0, 1000


class Cycle:
    # Only the garbage collector finds it, and its end lets other threads run.
    def __init__(self):
        self.itself = self

    def __del__(self):
        if threading.get_ident() != main:
            time.sleep(0.0002)


def down(turns):
    return Cycle() if turns == 0 else down(turns - 1)


def look(frame):
    # What is made here has garbage collected, now and then, in the middle of a stack.
    kept = []
    while frame is not None:
        kept.append([frame.f_code])
        frame = frame.f_back


watched = sampler.Sampler(UserCode(), main, lambda: False, lambda: None)
watched.listeners.append(look)
watched.start()
end = time.monotonic() + 4
turns = 0
while time.monotonic() < end:
    down(turns % 40)
    turns += 1
watched.stop()
print("looked", watched.taken > 100)
"""


def test_a_thread_goes_on_unharmed_however_often_it_is_looked_at() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOOKED_AT_ALL_THE_TIME],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "looked True", "")
