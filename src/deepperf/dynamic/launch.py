"""Starts the user's program, watched, and waits for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from deepperf.config.options import WrongUse


def run_program(words: Sequence[str], trace: Path) -> int:
    """Run `script.py arguments…` or `-m module arguments…`; the program's exit status.

    It is negative for the number of the signal that ended it. Raises `WrongUse` where there is
    nothing to run.
    """
    command = [*_without_python(words)]
    if not command or (command[0] == "-m" and len(command) < 2):
        raise WrongUse("nothing to run: deepperf run script.py, or deepperf run -m module")
    if command[0].startswith("-") and command[0] != "-m":
        raise WrongUse(f"{command[0]}: only scripts and -m module can be run")
    if command[0] != "-m" and not os.path.exists(command[0]):
        raise WrongUse(f"{command[0]}: no such file")
    with _interrupts_left_to_the_program():
        process = subprocess.Popen(
            [sys.executable, "-m", "deepperf.dynamic.child", os.fspath(trace), *command],
            env=_environment(),
        )
        return process.wait()


def _without_python(words: Sequence[str]) -> Sequence[str]:
    """`python train.py` means the script; which Python runs it is ours to say."""
    listed = list(words)
    if listed[:1] == ["--"]:
        listed = listed[1:]
    name = os.path.basename(listed[0]) if listed else ""
    return listed[1:] if name.startswith("python") and not name.endswith(".py") else listed


def _environment() -> dict[str, str]:
    """Ours, with the way to this very deepperf, which the program's folder may not know."""
    home = str(Path(__file__).parents[2])
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
    return (
        {**os.environ, "PYTHONPATH": os.pathsep.join(paths)} if _is_hidden(home) else {**os.environ}
    )


def _is_hidden(home: str) -> bool:
    """Whether deepperf is imported from a folder that a new process would not look into."""
    return home not in [os.path.abspath(path) for path in sys.path if "site-packages" in path]


@contextmanager
def _interrupts_left_to_the_program() -> Iterator[None]:
    """Ctrl-C reaches the program, too, which ends as it likes; we then still report."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
