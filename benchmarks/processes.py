"""Runs a command in a fresh process and tells what it cost."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class CommandFailed(Exception):
    """A measured command ended with a status that is not among those expected."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took: CPU seconds (user and system, with its children), seconds on the
    clock, and the largest resident memory of one of its processes in bytes."""

    cpu: float
    wall: float
    memory: int


def measured(
    command: Sequence[str], folder: Path, statuses: Sequence[int], environment: Mapping[str, str]
) -> Cost:
    """The cost of running `command` in `folder`; its output is thrown away.

    Raises `CommandFailed` with its last words if it ends with none of `statuses`.
    """
    with tempfile.TemporaryFile() as complaints:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in statuses:
            complaints.seek(0)
            last = complaints.read().decode(errors="replace").strip().rpartition("\n")[2]
            raise CommandFailed(f"{' '.join(command)}: exit status {process.returncode}: {last}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * scale)
