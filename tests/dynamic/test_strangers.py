"""Threads that libraries begin are charged with what they run in Python."""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.dynamic.watched import marked, needs, report_on

from deepperf.dynamic.recording.frames import clocks_of_strangers, frames_that_stay
from deepperf.dynamic.recording.places import UserCode
from deepperf.dynamic.recording.threads import OtherThreads

INTERVAL = 0.001


class Stranger:
    """A thread that Python's own `threading` does not know, as those of a library."""

    def __init__(self) -> None:
        self.native = 0
        self.is_over = False
        self.has_begun = threading.Event()
        self.has_ended = threading.Event()

    def run(self) -> None:
        self.native = threading.get_native_id()
        self.has_begun.set()
        while not self.is_over:
            sum(range(100))
        self.has_ended.set()

    def seconds(self) -> float:
        return time.clock_gettime(~self.native << 3 | 6)


@contextmanager
def stranger() -> Iterator[Stranger]:
    one = Stranger()
    _thread.start_new_thread(one.run, ())
    one.has_begun.wait()
    try:
        yield one
    finally:
        one.is_over = True
        one.has_ended.wait()


def strangers() -> list[float]:
    """The CPU seconds of all threads that `threading` does not know: other tests may leave some."""
    with frames_that_stay():
        clocks = clocks_of_strangers({*threading._active})  # type: ignore[attr-defined]
        return [time.clock_gettime(clock) for clock in clocks.values()]


def look(others: OtherThreads) -> None:
    # The sampler, whose thread this is, sees the main one as well.
    with frames_that_stay():
        others.look(sys._current_frames())


def test_the_clock_of_a_thread_that_a_library_began_is_its_own() -> None:
    known = {*threading._active}  # type: ignore[attr-defined]
    before = clocks_of_strangers(known)  # of libraries that other tests have run
    with stranger() as one:
        (clock,) = clocks_of_strangers(known | before.keys()).values()
        assert ~(clock >> 3) == one.native
        assert time.clock_gettime(clock) <= one.seconds()


def test_what_such_a_thread_computes_is_charged_to_its_line() -> None:
    before = len(strangers())
    others = OtherThreads(UserCode(), threading.main_thread().ident or 0)
    with stranger() as one:
        look(others)
        began = one.seconds()
        while one.seconds() < began + 0.1:
            time.sleep(0.01)
        look(others)
        found = others.told(INTERVAL)
        (told,) = [thread for thread in found if thread.name == "unnamed"]
        assert told.count == before + 1
        assert 0.1 <= told.cpu_seconds <= sum(strangers())
        assert (__file__, "run") in [
            (seen.file, seen.function) for seen in told.samples if seen.own
        ]


def test_a_pause_is_charged_to_nobody() -> None:
    others = OtherThreads(UserCode(), threading.main_thread().ident or 0)
    with stranger() as one:
        look(others)
        before = sum(thread.cpu_seconds for thread in others.told(INTERVAL))
        began = one.seconds()
        while one.seconds() < began + 0.2:
            time.sleep(0.01)
        skipped = sum(strangers())
        others.skip()
        look(others)
        charged = sum(thread.cpu_seconds for thread in others.told(INTERVAL)) - before
        assert charged <= sum(strangers()) - skipped


PIPELINE = """\
import numpy as np
import tensorflow as tf


def brighten(image):
    out = np.zeros_like(image)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            out[i, j] = image[i, j] * 2 + 1  # looped
    return out


images = tf.data.Dataset.from_tensor_slices(np.random.rand(3000, 64, 64).astype("float32"))
images = images.map(
    lambda image: tf.numpy_function(brighten, [image], tf.float32), num_parallel_calls=2
)
print(sum(float(tf.reduce_mean(batch)) for batch in images.batch(16)))
"""


def test_what_a_pipelines_threads_run_in_python_is_seen_and_not_refuted(tmp_path: Path) -> None:
    needs("tensorflow")
    report = report_on(tmp_path, PIPELINE)
    (looped,) = marked(PIPELINE, "looped")
    lines = [line for thread in report["run"]["threads"] for line in thread["lines"]]
    assert looped in [line["line"] for line in lines]
    (static,) = [one for one in report["static"] if one["line"] == looped]
    assert static["outcome"] in ("open", "confirmed")
