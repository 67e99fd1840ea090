"""A program that hangs is told where; one that waits for something is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.watched import diagnoses, marked, told_by

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/wchan").exists(), reason="the system does not tell what threads wait for"
)

ENDS = """\
import multiprocessing
import os
import queue
import signal
import socket
import threading
import time


def end():
    os.kill(os.getpid(), signal.SIGINT)


timer = threading.Timer(7, end)
timer.daemon = True
timer.start()


"""

HANGS = (
    ENDS
    + """\
def feed(batches):
    batches.put(1)


batches = queue.Queue()
threading.Thread(target=feed, args=(batches,)).start()
for _ in range(2):
    batches.get()  # hangs
"""
)

WORKERS_HANG = (
    ENDS
    + """\
def work(number, answers):
    try:
        answers.get(timeout=10)
    except queue.Empty:
        pass


answers = multiprocessing.get_context("fork").Queue()
workers = [
    multiprocessing.get_context("fork").Process(target=work, args=(number, answers), daemon=True)
    for number in range(2)
]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()  # hangs
"""
)

COMPUTES = (
    ENDS
    + """\
while True:
    sum(range(1000))
"""
)

PAUSES = (
    ENDS
    + """\
while True:
    time.sleep(10)
"""
)

LISTENS = (
    ENDS
    + """\
def serve():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.accept()


thread = threading.Thread(target=serve, daemon=True)
thread.start()
thread.join()
"""
)

STUCK = """\
import multiprocessing
import time


def both(first, second):
    with first:
        time.sleep(0.2)
        if second.acquire(timeout=4):
            second.release()


context = multiprocessing.get_context("fork")
one, other = context.Lock(), context.Lock()
workers = [
    context.Process(target=both, args=(one, other)),
    context.Process(target=both, args=(other, one)),
]
for worker in workers:
    worker.start()
workers[0].join()  # stuck
workers[1].join()
"""

WAITS = """\
import multiprocessing
import threading
import time


def slow(seconds):
    time.sleep(seconds)


def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


with multiprocessing.get_context("fork").Pool(2) as pool:
    pool.map(slow, [2.5, 2.5])
    pool.map(busy, [1.0, 1.0])
threading.Event().wait(2.5)
"""


@pytest.mark.parametrize(
    ("program", "awaited"),
    [(HANGS, "a queue"), (WORKERS_HANG, "a process to end")],
    ids=["threads", "processes"],
)
def test_where_a_program_hangs_is_told_when_it_is_interrupted(
    tmp_path: Path, program: str, awaited: str
) -> None:
    found = _interrupted(tmp_path, program)
    assert [item["line"] for item in found] == marked(program, "hangs")
    assert found[0]["message"] == f"the program hangs, waiting for {awaited}"
    assert found[0]["share"] > 0.5


@pytest.mark.parametrize(
    "program", [COMPUTES, PAUSES, LISTENS], ids=["computes", "pauses", "listens"]
)
def test_what_computes_pauses_or_listens_does_not_hang(tmp_path: Path, program: str) -> None:
    assert _interrupted(tmp_path, program) == []


@pytest.mark.watched
def test_workers_that_wait_for_each_other_are_told_though_the_program_ends(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, STUCK, "standstill")
    assert [item["line"] for item in found] == marked(STUCK, "stuck")
    assert found[0]["message"] == "nothing runs while the program waits for a process to end"


@pytest.mark.watched
def test_waiting_for_what_takes_its_time_is_no_finding(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, WAITS, "standstill") == []


def _interrupted(folder: Path, text: str) -> list[dict[str, Any]]:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "deepperf", "run", "--format", "json", path.name],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    report = json.loads(ran.stderr[ran.stderr.index("{\n") :])
    assert report["run"]["ended"] == "interrupted"
    assert report["run"]["problems"] == []
    return told_by(report, "standstill")
