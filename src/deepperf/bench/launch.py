"""Starts the process in which a side runs: one of its own, or a fork of one that only imported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepperf.bench.machine import environment

LONGEST_SECONDS = 600
WORKER = Path(__file__).with_name("worker.py")
FORKS = Path(__file__).with_name("forks.py")
ERRORS = "errors.txt"


@dataclass(frozen=True, slots=True)
class Launch:
    """A job for the worker: its file, the folder it runs in, and what its process is like.

    `core` is the only one that the process may use, None for all. `variables` are added to its
    environment.
    """

    job: Path
    folder: Path
    framework: str
    threads: int
    core: int | None = None
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a process ended, and what it wrote to standard error."""

    status: int
    errors: str


Start = Callable[[Launch], Outcome]


class TookTooLong(Exception):
    """A process that was still running after LONGEST_SECONDS."""


def in_fresh_process(launch: Launch) -> Outcome:
    """Run `launch` in an interpreter of its own. Raises TookTooLong."""
    try:
        process = subprocess.run(
            [sys.executable, str(WORKER), str(launch.job)],
            cwd=launch.folder,
            env=environment(launch.threads) | dict(launch.variables),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TookTooLong from None
    return Outcome(process.returncode, process.stderr)


@contextmanager
def starting() -> Iterator[Start]:
    """Gives the fastest start that there is on this system."""
    if can_fork():
        with forks() as start:
            yield start
    else:
        yield in_fresh_process


def can_fork() -> bool:
    """Whether forking a process that holds a framework is known to work on this system."""
    return sys.platform == "linux"


@contextmanager
def forks() -> Iterator[Start]:
    """Gives a start by forks of processes that have imported the framework, and nothing else.

    Importing TensorFlow takes longer than most sides. A fork is as fresh as a new process in
    all else: no framework has any thread, device or cache before it is first used. Launches
    for different cores may run at the same time.
    """
    kept: dict[tuple[object, ...], subprocess.Popen[str]] = {}

    def start(launch: Launch) -> Outcome:
        key = (launch.framework, launch.threads, launch.core, launch.variables)
        if key not in kept:
            kept[key] = _parent(launch)
        errors = launch.job.with_name(ERRORS)
        request = {"job": str(launch.job), "folder": str(launch.folder), "errors": str(errors)}
        try:
            status = _asked(kept[key], request)
        except (TookTooLong, BrokenPipeError):
            _end(kept.pop(key))
            raise TookTooLong from None
        return Outcome(status, errors.read_text(encoding="utf-8", errors="replace"))

    try:
        yield start
    finally:
        for process in kept.values():
            _end(process)


def _parent(launch: Launch) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(FORKS), launch.framework],
        env=environment(launch.threads) | dict(launch.variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # so that it can be ended together with its forks
    )


def _asked(process: subprocess.Popen[str], request: dict[str, Any]) -> int:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    alarm = threading.Timer(LONGEST_SECONDS, _end, (process,))
    alarm.start()
    answer = process.stdout.readline()
    alarm.cancel()
    if not answer:
        raise TookTooLong
    return int(answer)


def _end(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
