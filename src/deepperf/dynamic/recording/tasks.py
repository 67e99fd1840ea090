"""What the system tells of a program's threads and processes."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from typing import NamedTuple

DEEPEST = 4
"""Generations of processes below the program's own."""
MOST_PROCESSES = 64
ACCELERATORS = ("/dev/nvidia", "/dev/kfd", "/dev/dri", "/dev/accel")
MOST_TASKS = 256
"""Threads of one process that are asked about."""


class Task(NamedTuple):
    """A thread: its native id, seconds of the processor, seconds in which it was ready to run and
    had no core, and how often it gave way by itself."""

    number: int
    seconds: float
    coreless: float
    gave_way: int


def tasks_of(process: int) -> list[Task]:
    """The threads of a process; none where the system does not tell."""
    try:
        numbers = os.listdir(f"/proc/{process}/task")[:MOST_TASKS]
    except OSError:
        return []
    return [task for number in numbers if (task := _task(process, int(number))) is not None]


def _task(process: int, number: int) -> Task | None:
    home = f"/proc/{process}/task/{number}"
    try:
        ran, stood = (int(word) / 1e9 for word in _read(f"{home}/schedstat").split()[:2])
        words = _read(f"{home}/status").split()
        gave_way = int(words[words.index(b"voluntary_ctxt_switches:") + 1])
    except (OSError, ValueError, IndexError):
        return None
    return Task(number, ran, stood, gave_way)


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as stream:
        return stream.read()


def seconds_of(process: int) -> float:
    """What a process has had of the processor, 0 where that is not told."""
    try:
        # Its name, in brackets, may hold spaces.
        words = _read(f"/proc/{process}/stat").rpartition(b")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def waits_of(process: int, left_out: Container[int | None] = ()) -> list[str]:
    """Where in the kernel each thread of a process waits; "" for one that runs, or of which that
    is not told."""
    try:
        numbers = os.listdir(f"/proc/{process}/task")[:MOST_TASKS]
        return [wait_of(process, int(number)) for number in numbers if int(number) not in left_out]
    except OSError:
        return []


def wait_of(process: int, thread: int) -> str:
    """The same of one thread. Raises OSError."""
    where = _read(f"/proc/{process}/task/{thread}/wchan")
    return where.decode("ascii", "replace").strip("0\n")


def is_asleep(thread: int) -> bool:
    """Whether a thread of this process waits for something other than a core; also where the
    system does not tell."""
    try:
        return _read(f"/proc/self/task/{thread}/stat").rpartition(b")")[2].split()[0] != b"R"
    except (OSError, IndexError):
        return True


def listens(process: int) -> bool:
    """Whether a process could hear from other machines or from an accelerator, or that is not told:
    it holds a socket, or the device."""
    try:
        known = set(_sockets(process))
        held = os.listdir(f"/proc/{process}/fd")
    except (OSError, IndexError):
        return True
    targets = [_target(process, number) for number in held]
    return any(target in known or target.startswith(ACCELERATORS) for target in targets)


def _sockets(process: int) -> Iterator[str]:
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        table = f"/proc/{process}/net/{kind}"
        if os.path.exists(table):
            for line in _read(table).splitlines()[1:]:
                yield f"socket:[{int(line.split()[9])}]"


def _target(process: int, number: str) -> str:
    try:
        return os.readlink(f"/proc/{process}/fd/{number}")
    except OSError:
        # What lists them is one of them, and gone by then.
        return ""


def processes_below(process: int) -> list[int]:
    """The processes that a process has started, those that they started, and so on."""
    found: list[int] = []
    waiting = [(process, 0)]
    while waiting and len(found) < MOST_PROCESSES:
        parent, depth = waiting.pop()
        for child in _children(parent):
            found.append(child)
            if depth + 1 < DEEPEST:
                waiting.append((child, depth + 1))
    return found


def _children(process: int) -> Iterator[int]:
    try:
        for number in os.listdir(f"/proc/{process}/task")[:MOST_TASKS]:
            yield from map(int, _read(f"/proc/{process}/task/{number}/children").split())
    except (OSError, ValueError):
        return


def cores_allowed() -> int:
    """How many cores the program's main thread may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(os.getpid()))
    return os.cpu_count() or 1
