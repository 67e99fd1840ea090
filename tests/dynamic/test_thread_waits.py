"""Threads that wait for each other are told, by what the line that they wait at says."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from tests.dynamic.made import script, trace_of

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.recording.frames import frames_of_others
from deepperf.dynamic.recording.places import UserCode
from deepperf.dynamic.recording.threads import OtherThreads
from deepperf.dynamic.recording.trace import Samples, ThreadTime
from deepperf.dynamic.signals import thread_waits

SERVICE = """\
import queue
import threading
import time

lock = threading.Lock()
jobs = queue.Queue()


def detect(image):
    with lock:
        found = decode(image)
        return len(found)


def read(path):
    with open(path) as stream:
        return stream.read()


def count():
    while True:
        time.sleep(0.05)
        while not jobs.empty():
            jobs.get()()


def report():
    while True:
        time.sleep(60)
        print(jobs)


def train():
    for _ in range(100):
        step(jobs.get())
"""
MAIN = 0
"""No thread's number."""
TAKEN, DECODED, OPENED, LOOKED, SLEPT, GOT = 10, 11, 16, 22, 29, 35


OTHERS = """\
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

pool = ThreadPoolExecutor(8)
slots = threading.Semaphore(4)
lock = threading.Lock()


def spread(jobs):
    with pool:
        pool.map(step, jobs)
    with slots:
        step(jobs)


def drain(jobs):
    while not jobs.empty():
        time.sleep(0.1)
    while np.empty(3).sum() < 1:
        time.sleep(0.1)


def take(shared):
    lock.acquire()
    shared.append(1)
    lock.release()
"""


def seen_at(path: Path, line: int, total: int = 0, waited: int = 0, way: str = "") -> Samples:
    calls = {way: waited} if way else {}
    return Samples(str(path), line, "serve", total, total, 0, waited, {}, calls)


def thread_of(*samples: Samples, seconds: float = 4.0) -> ThreadTime:
    return ThreadTime("AnyIO worker thread", 2, seconds, samples)


def test_a_lock_that_is_held_during_work_is_told_with_the_line_of_that_work(tmp_path: Path) -> None:
    path = script(tmp_path, SERVICE)
    threads = (thread_of(seen_at(path, TAKEN, waited=300), seen_at(path, DECODED, total=150)),)
    (one,) = thread_waits.diagnose(trace_of(path, threads=threads))
    assert (one.line, one.weight) == (TAKEN, Weight.HINT)
    assert "`lock`" in one.message
    assert f"at line {DECODED}" in one.evidence


def test_a_lock_that_is_soon_free_and_other_contexts_are_not(tmp_path: Path) -> None:
    path = script(tmp_path, SERVICE)
    threads = (thread_of(seen_at(path, TAKEN, waited=20), seen_at(path, OPENED, waited=300)),)
    assert [*thread_waits.diagnose(trace_of(path, threads=threads))] == []


def test_waiting_for_a_pool_a_semaphore_and_an_emptied_queue_is_as_it_is_to_be(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, OTHERS)
    threads = (thread_of(*(seen_at(path, line, waited=400) for line in (13, 15, 21, 23))),)
    assert [*thread_waits.diagnose(trace_of(path, threads=threads))] == []


def test_the_line_that_takes_a_lock_is_not_said_to_be_its_work(tmp_path: Path) -> None:
    path = script(tmp_path, OTHERS)
    waits = (seen_at(path, 27, total=300, waited=300),)
    (one,) = thread_waits.diagnose(trace_of(path, samples=waits))
    assert one.line == 27
    assert "meanwhile" not in one.evidence


def test_sleeping_between_two_looks_into_a_queue_is_told_and_any_other_is_not(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, SERVICE)
    threads = (thread_of(seen_at(path, LOOKED, waited=400), seen_at(path, SLEPT, waited=590)),)
    (one,) = thread_waits.diagnose(trace_of(path, threads=threads))
    assert one.line == LOOKED
    assert "looks again whether there is something" in one.message


@pytest.mark.parametrize(("waited", "lines"), [(150, [LOOKED]), (10, [])])
def test_the_main_thread_that_sleeps_between_looks_is_told_of_sooner(
    tmp_path: Path, waited: int, lines: list[int]
) -> None:
    path = script(tmp_path, SERVICE)
    waits = (seen_at(path, LOOKED, total=waited, waited=waited),)
    told = [*thread_waits.diagnose(trace_of(path, samples=waits))]
    assert [one.line for one in told] == lines


POLLS = """\
import time


def feed(box):
    while not box:
        time.sleep(0.1)
    yield box.popleft()


def serve(jobs, done):
    while True:
        if jobs:
            handle(jobs.pop(0))
        else:
            time.sleep(0.02)


def work(self):
    while True:
        with self.lock:
            job = self.jobs.pop(0) if self.jobs else None
        if job is None:
            time.sleep(0.02)


def paced(rows):
    while True:
        row = rows.pop()
        if row is None:
            return
        time.sleep(1)


def answer(done, key):
    while key not in done:
        time.sleep(0.05)
    return done[key]


def pump(box, loader):
    for batch in loader:
        while len(box) >= 3:
            time.sleep(0.1)
        box.append(batch)


def keep(server, until):
    while server.running:
        time.sleep(1)
    while time.time() < until:
        time.sleep(1)
"""
FED, SERVED, WORKED, PACED, ANSWERED, PUMPED, KEPT, TIMED = 6, 15, 23, 31, 36, 43, 49, 51


def test_sleeping_until_something_is_there_that_is_then_taken_is_told_and_any_other_is_not(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, POLLS)
    lines = (FED, SERVED, WORKED, PACED, ANSWERED, PUMPED, KEPT, TIMED)
    waits = tuple(seen_at(path, line, total=100, waited=100) for line in lines)
    told = [*thread_waits.diagnose(trace_of(path, samples=waits))]
    assert [one.line for one in told] == [FED, SERVED, WORKED, ANSWERED]


def test_who_makes_what_the_main_thread_waits_for_is_named(tmp_path: Path) -> None:
    path = script(tmp_path, SERVICE)
    waits = seen_at(path, GOT, total=250, waited=250, way="Queue.get/Condition.wait")
    makers = (thread_of(seen_at(path, DECODED, total=200)),)
    (one,) = thread_waits.diagnose(trace_of(path, samples=(waits,), threads=makers))
    assert (one.line, one.share, one.weight) == (GOT, 0.5, Weight.TIME)
    assert f"train.py:{DECODED}" in one.evidence


def test_a_queue_that_processes_fill_is_none_of_the_threads(tmp_path: Path) -> None:
    path = script(tmp_path, SERVICE)
    waits = seen_at(path, GOT, total=250, waited=250, way="Queue.get/Condition.wait")
    idle = (thread_of(seen_at(path, DECODED, total=2), seconds=0.04),)
    assert [*thread_waits.diagnose(trace_of(path, samples=(waits,), threads=idle))] == []
    piped = seen_at(path, GOT, total=250, waited=250, way="Queue.get/Connection.recv_bytes")
    makers = (thread_of(seen_at(path, DECODED, total=200)),)
    assert [*thread_waits.diagnose(trace_of(path, samples=(piped,), threads=makers))] == []


def test_a_thread_that_stands_at_a_line_of_the_users_is_charged_with_waiting() -> None:
    lock = threading.Lock()

    def wait() -> None:
        with lock:
            pass

    with lock:
        thread = threading.Thread(target=wait, name="waiter")
        thread.start()
        looking = OtherThreads(UserCode(), MAIN)
        until(lambda: "wait" in names_of(thread))
        looking.look(frames_with_main(thread))
        time.sleep(0.1)
        looking.look(frames_with_main(thread))
    thread.join()
    (told,) = [one for one in looking.told(0.02) if one.name == "waiter"]
    (seen,) = told.samples
    assert seen.function == "wait"
    assert seen.waited >= 4
    assert seen.total <= 1


def frames_with_main(thread: threading.Thread) -> dict[int, FrameType]:
    frame = frames_of_others()[thread.ident or 0]
    return {MAIN: frame, thread.ident or 0: frame}


def names_of(thread: threading.Thread) -> str:
    frame = frames_of_others().get(thread.ident or 0)
    return "" if frame is None else frame.f_code.co_name


def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        time.sleep(0.01)
