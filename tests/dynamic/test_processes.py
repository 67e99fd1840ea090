"""Threads and processes of a program are told apart, and what could not be watched is said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.dynamic.watched import report_live

SPIN = """
import sys, time

def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(300))

"""
THREADS = (
    SPIN
    + """
import threading

def produce():
    spin(0.9)  # produced

threads = [threading.Thread(target=produce, name=f"producer-{number}") for number in range(2)]
for one in threads:
    one.start()
for one in threads:
    one.join()
spin(0.3)
"""
)
FORKED = (
    SPIN
    + """
import multiprocessing

def work(number):
    spin(0.5)
    return number

if __name__ == "__main__":
    pool = multiprocessing.get_context(sys.argv[1] if sys.argv[1:] else "METHOD").Pool(2)
    print(sum(pool.map(work, range(4), chunksize=2)))
    # Workers that are terminated, as `with` does it, leave what was written by then.
    pool.close()
    pool.join()
"""
)
STARTED = (
    SPIN
    + """
import subprocess

if sys.argv[1:]:
    spin(0.8)
else:
    subprocess.run([sys.executable, __file__, "child"], check=True)
    subprocess.run([sys.executable, "-I", __file__, "child"], check=True)
"""
)
OWN_TIMER = (
    SPIN
    + """
import signal

ticks = []
signal.signal(signal.SIGPROF, lambda *_: ticks.append(1))
signal.setitimer(signal.ITIMER_PROF, 0.02, 0.02)
spin(0.8)
signal.setitimer(signal.ITIMER_PROF, 0)
assert len(ticks) > 10, len(ticks)
"""
)
REPLACED = (
    SPIN
    + """
import os

spin(0.3)
os.execv(sys.executable, [sys.executable, "-I", "-c", "sum(i for i in range(9_000_000))"])
"""
)


def test_threads_are_told_apart_by_what_they_compute(tmp_path: Path) -> None:
    run = report_live(tmp_path, THREADS)["run"]
    (producers,) = [one for one in run["threads"] if one["name"] == "producer"]
    assert producers["count"] == 2
    assert producers["cpu_seconds"] > 1.2
    assert producers["lines"][0]["file"].endswith("program.py")
    # What the main thread waits for them is none of its work.
    assert run["main_cpu_seconds"] < 0.9


def test_forked_and_spawned_processes_record_into_the_same_report(tmp_path: Path) -> None:
    for method in ("fork", "spawn"):
        report = report_live(tmp_path, FORKED.replace("METHOD", method))
        workers = [one for one in report["processes"] if "PoolWorker" in one["role"]]
        assert sum(one["cpu_seconds"] for one in workers) > 1.5
        assert {line["function"] for one in workers for line in one["lines"][:1]} == {"spin"}
        assert all(one["parent"] == report["processes"][0]["process"] for one in workers)


def test_processes_that_are_recorded_say_what_they_would_have_said(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(STARTED, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "deepperf", "run", "--report", "report.txt", "program.py"],
        cwd=tmp_path,
        env={**os.environ},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_what_could_not_be_watched_is_said_with_its_processor_time(tmp_path: Path) -> None:
    report = report_live(tmp_path, STARTED)
    (child,) = report["processes"][1:]
    assert child["role"] == "program.py"
    assert child["cpu_seconds"] > 0.6
    assert report["unwatched_cpu_seconds"] > 0.6


def test_a_program_that_uses_the_profiling_signal_keeps_it(tmp_path: Path) -> None:
    report = report_live(tmp_path, OWN_TIMER)
    assert any("SIGPROF" in problem for problem in report["run"]["problems"])
    assert report["lines"]


def test_a_program_that_becomes_another_one_is_not_killed_by_the_timer(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(REPLACED, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "deepperf", "run", "program.py"],
        cwd=tmp_path,
        env={**os.environ},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode != 128 + signal.SIGPROF
    assert ran.returncode == 0, ran.stderr


ENDING = (
    SPIN
    + """
import os

ended = []
for number in range(24):
    child = os.fork()
    if child == 0:
        spin(number / 1000)
        sys.exit(0)
    ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(ended.count(0))
"""
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_that_ends_as_python_does_ends_well_however_little_it_did(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(ENDING)
    ran = subprocess.run(
        [sys.executable, "-m", "deepperf", "run", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert ran.stdout == "24\n"
