"""Processes that a watched program starts: each records into the folder of the run."""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path

FOLDER = "DEEPPERF_RECORD"
"""The variable of the environment that names the folder into which processes record."""
HOOK = Path(__file__).parent / "hook"
"""What Python looks into for what it imports at its start."""
SERVANTS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver", "compile_worker")
"""Processes of libraries that run nothing of the program's."""


def have_recorded(folder: Path) -> None:
    """Let the Python processes that this one starts from now on record into a folder."""
    paths = [os.fspath(HOOK), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ.update({FOLDER: os.fspath(folder), "PYTHONPATH": os.pathsep.join(paths)})


def follow() -> None:
    """Record what this process does, if it runs something of the program's."""
    words = sys.orig_argv
    if any(servant in word for word in words for servant in SERVANTS) or len(words) < 2:
        return
    # Imported here: a process that records nothing is to start as fast as ever.
    from deepperf.dynamic import child
    from deepperf.dynamic.recording.tape import Tape
    from deepperf.dynamic.recording.trace import SUFFIX

    folder = Path(os.environ[FOLDER])
    tape = Tape(
        folder / f"{os.getpid()}{SUFFIX}", [sys.executable, *words[1:]], parent=os.getppid()
    )
    tape.forks = folder
    atexit.register(tape.finish)
    child.finish_before_hard_exits(tape)
    child.record(tape)
