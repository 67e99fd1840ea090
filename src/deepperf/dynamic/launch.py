"""Starts the user's program, watched, and waits for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from deepperf.config.options import WrongUse
from deepperf.dynamic.children import FOLDER

# Not by `-m`: a `random.py` in this folder would be imported in place of Python's own.
_CHILD = """
import sys
began_with = [*sys.modules]
sys.path[:1] = filter(None, sys.path[:1])
from deepperf.dynamic.child import main
main(sys.argv[1:], began_with)
"""

DIE_WITH_PARENT = 1
"""The option of Linux's `prctl` that says which signal a process gets when its parent is gone."""
SENT_BY_A_PROCESS = 0
"""The highest of the codes that tell so; the system's own are above."""


def program_of(words: Sequence[str]) -> Sequence[str]:
    """`script.py arguments…` or `-m module arguments…`. Raises `WrongUse` for nothing to run."""
    command = [*_without_python(words)]
    if not command or (command[0] == "-m" and len(command) < 2):
        raise WrongUse("nothing to run: give a script, as `train.py`, or `-m module`")
    if command[0].startswith("-") and command[0] != "-m":
        raise WrongUse(f"{command[0]}: only scripts and -m module can be run")
    if command[0] != "-m" and not os.path.exists(command[0]):
        raise WrongUse(f"{command[0]}: no such file")
    return command


def run_program(
    command: Sequence[str],
    trace: Path,
    processes: Path | None = None,
    told: Mapping[str, str] | None = None,
) -> int:
    """Run what `program_of` gives; the program's exit status.

    The Python processes that it starts leave theirs in the folder `processes`, if one is given;
    `told` are variables of the environment for all of them.

    It is negative for the number of the signal that ended it.
    """
    started: list[subprocess.Popen[bytes]] = []
    with _signals_left_to(started) as numbers:
        process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, os.fspath(trace), *command],
            env=environment(processes) | dict(told or {}),
            # Nothing of ours runs in a second thread that could hold a lock meanwhile.
            preexec_fn=bound_to_us(),  # noqa: PLW1509
        )
        started.append(process)
        return _end_of(process, numbers)


def bound_to_us() -> Callable[[], None] | None:
    """What a process that is being started is to do so that it does not outlive us."""
    own = os.getpid()
    return (lambda: bound_to(own)) if sys.platform == "linux" else None


def bound_to(parent: int) -> None:
    """Have this process killed when its parent is, which nothing else would tell it."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _end_of(process: subprocess.Popen[bytes], numbers: Collection[int]) -> int:
    """The status with which a process ends that gets the signals which somebody sends us.

    A terminal's Ctrl-C reaches both: it is known by its sender, which is no process.
    """
    if sys.platform != "linux":
        return process.wait()
    awaited = {*numbers, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    try:
        while process.poll() is None:
            told = signal.sigwaitinfo(awaited)
            if told.si_signo != signal.SIGCHLD and told.si_code <= SENT_BY_A_PROCESS:
                process.send_signal(told.si_signo)
        return process.returncode
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _without_python(words: Sequence[str]) -> Sequence[str]:
    """`python train.py` means the script; which Python runs it is ours to say."""
    listed = list(words)
    if listed[:1] == ["--"]:
        listed = listed[1:]
    name = os.path.basename(listed[0]) if listed else ""
    return listed[1:] if name.startswith("python") and not name.endswith(".py") else listed


def environment(processes: Path | None = None) -> dict[str, str]:
    """Ours, with the way to this very deepperf, which the program's folder may not know."""
    home = str(Path(__file__).parents[2])
    found = {**os.environ}
    if _is_hidden(home):
        found["PYTHONPATH"] = os.pathsep.join([home, *filter(None, [found.get("PYTHONPATH")])])
    if processes is not None:
        found[FOLDER] = os.fspath(processes)
    return found


def _is_hidden(home: str) -> bool:
    """Whether deepperf is imported from a folder that a new process would not look into."""
    return home not in [os.path.abspath(path) for path in sys.path if "site-packages" in path]


@contextmanager
def _signals_left_to(started: Sequence[subprocess.Popen[bytes]]) -> Iterator[Collection[int]]:
    """The program ends as it likes; we then still report. The signals that it is told of are given.

    Ctrl-C reaches it, too; what somebody sends to us alone is passed on.
    """

    def pass_on(number: int, _: object) -> None:
        for process in started:
            process.send_signal(number)

    handlers = {"SIGINT": lambda *_: None, "SIGTERM": pass_on, "SIGHUP": pass_on}
    known = {number: name for name in handlers if (number := getattr(signal, name, None))}
    # What is ignored, as under `nohup`, the program is to ignore, too.
    before = {
        number: handler
        for number in known
        if (handler := signal.getsignal(number)) is not signal.SIG_IGN
    }
    for number in before:
        signal.signal(number, handlers[known[number]])
    try:
        yield before
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
