"""Frames of a running thread are looked at without harming it."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

from deepperf.dynamic.recording.frames import frames_of_others

LOOKED_AT_ALL_THE_TIME = """
import sys
import threading
import time

from deepperf.dynamic.recording.frames import frames_that_stay

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
turns = 0
while len(depths) < 300:
    down(turns % 40)
    turns += 1
is_over.set()
looking.join()
print("true" if max(depths) < 60 else "torn")
"""


def test_a_thread_goes_on_unharmed_however_often_its_frames_are_looked_at() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", LOOKED_AT_ALL_THE_TIME],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "true\n", "")


class Held:
    """Something whose end can be seen."""


def test_what_a_function_held_is_gone_as_soon_as_it_returns() -> None:
    is_there, may_go = threading.Event(), threading.Event()
    kept: list[weakref.ref[Held]] = []

    def works() -> None:
        held = Held()
        kept.append(weakref.ref(held))
        is_there.set()
        may_go.wait()

    def looks() -> int:
        frames = frames_of_others()
        return len(frames)

    thread = threading.Thread(target=works)
    gc.disable()
    try:
        thread.start()
        is_there.wait()
        assert looks() > 0
        may_go.set()
        thread.join()
        assert kept[0]() is None
    finally:
        gc.enable()
