"""Frames of a running thread are looked at without harming it."""

from __future__ import annotations

import subprocess
import sys

LOOKED_AT_ALL_THE_TIME = """
import sys
import threading
import time

from deepperf.dynamic.recording.sampler import frames_that_stay

sys.setswitchinterval(0.0005)
main = threading.get_ident()
is_over, is_looking = threading.Event(), threading.Event()
depths = []


class Cycle:
    # Only the garbage collector finds it, and its end lets other threads run.
    def __init__(self):
        self.itself = self

    def __del__(self):
        if is_looking.is_set() and threading.get_ident() != main:
            time.sleep(0.0002)


def down(turns):
    return Cycle() if turns == 0 else down(turns - 1)


def look():
    while not is_over.is_set():
        with frames_that_stay():
            is_looking.set()
            frame = sys._current_frames()[main]
            # What is made here has garbage collected, now and then, in the middle of a stack.
            kept = []
            while frame is not None and len(kept) < 1000:
                kept.append([frame.f_code])
                frame = frame.f_back
            depths.append(len(kept))
            del frame, kept
            is_looking.clear()
        time.sleep(0.0001)


looking = threading.Thread(target=look)
looking.start()
end = time.monotonic() + 4
turns = 0
while time.monotonic() < end:
    down(turns % 40)
    turns += 1
is_over.set()
looking.join()
print("often" if len(depths) > 100 else "seldom", "true" if max(depths) < 60 else "torn")
"""


def test_a_thread_goes_on_unharmed_however_often_its_frames_are_looked_at() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", LOOKED_AT_ALL_THE_TIME],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "often true\n", "")
