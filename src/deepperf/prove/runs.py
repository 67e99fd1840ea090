"""Runs a program once in a fresh copy of its project, in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deepperf.bench.machine import environment as with_threads
from deepperf.dynamic.launch import bound_to_us, environment
from deepperf.prove.copying import copy_again
from deepperf.prove.guard import STOPPED, TOLD
from deepperf.prove.workplace import Workplace

_CHILD = """
import sys
began_with = [*sys.modules]
sys.path[:1] = filter(None, sys.path[:1])
from deepperf.prove.child import main
main(sys.argv[1:], began_with)
"""
LONGEST_KEPT = 4_000_000
"""Characters that are kept of what a program prints."""
POLL = 0.005
"""Seconds between two looks whether it has ended."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run took, importing packages left out. Times are in seconds, memory is in bytes.

    `step_wall` and `step_cpu` are per step, in the second half of the steps; 0 without steps.
    `coreless` is how long the main thread waited while others had all cores.
    """

    cpu: float
    wall: float
    peak: int
    steps: int = 0
    step_cpu: float = 0.0
    step_wall: float = 0.0
    coreless: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, what it printed and wrote, and what it cost (None where that is not known).

    `files` has the content of files that are to be compared, None for those that are not there.
    `seconds` is what the run took as a whole. `timed_out` is one that was ended by us, `strangers`
    are modules that were not imported from the copy.
    """

    status: int
    output: str
    errors: str
    files: Mapping[str, bytes | None]
    seconds: float
    cost: Cost | None = None
    timed_out: bool = False
    strangers: tuple[str, ...] = ()

    @property
    def written_through(self) -> str:
        """The file of the user's that it would have written to, "" for none."""
        if self.status != STOPPED:
            return ""
        rows = [row for row in self.errors.splitlines() if row.startswith(TOLD)]
        return rows[-1].removeprefix(TOLD) if rows else ""


@dataclass(frozen=True, slots=True)
class Program:
    """What is run: the command, the folder within the project, threads, files to compare.

    `protected` are the real places that nothing may write to.
    """

    root: Path
    folder: str
    words: tuple[str, ...]
    threads: int = 1
    compared: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """The new texts of files, by their path from the project's root, as bytes."""

    files: Mapping[str, bytes] = field(default_factory=dict)


UNCHANGED = Change()


def run_once(
    program: Program, place: Workplace, change: Change, most: float, trace: Path | None = None
) -> Outcome:
    """Run the program with a change made, for at most so many seconds, watched if there is a trace.

    Raises OSError.
    """
    copy, kept = place.folder / "run", place.folder / "kept"
    template = place.folder / "template"
    _forget(copy)
    copy_again(template, copy)
    for path, content in change.files.items():
        (copy / path).write_bytes(content)
    kept.mkdir(exist_ok=True)
    temporary = place.folder / "tmp"
    _forget(temporary)
    temporary.mkdir()
    result, output, errors = kept / "result.json", kept / "output", kept / "errors"
    result.unlink(missing_ok=True)
    job = {
        "root": os.fspath(program.root),
        "copy": os.fspath(copy),
        "result": os.fspath(result),
        "trace": os.fspath(trace) if trace else "",
        "protected": [os.fspath(program.root), *program.protected],
        "allowed": os.fspath(place.folder),
    }
    words = [_moved(word, program.root, copy) for word in program.words]
    begin = time.perf_counter()
    with output.open("wb") as out, errors.open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, json.dumps(job), *words],
            cwd=copy / program.folder,
            env={**with_threads(program.threads), **environment(), **_places(place, temporary)}
            | _pools(program.threads),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            preexec_fn=bound_to_us(),  # noqa: PLW1509 - we have one thread
        )
        place.works(process.pid)
        peak, timed_out = _awaited(process, begin + most)
        place.works(0)
    seconds = time.perf_counter() - begin
    told = _told(result)
    return Outcome(
        status=process.returncode,
        output=_text(output),
        errors=_text(errors),
        files={name: _content(copy / program.folder / name) for name in program.compared},
        seconds=seconds,
        cost=_cost(told, peak) if told else None,
        timed_out=timed_out,
        strangers=told.strangers if told else (),
    )


def _pools(threads: int) -> dict[str, str]:
    """The variables that hold the pools of libraries to so many threads."""
    wanted = with_threads(threads)
    return {name: value for name, value in wanted.items() if os.environ.get(name) != value}


def _places(place: Workplace, temporary: Path) -> dict[str, str]:
    """Where libraries put what is to be gone with the rest."""
    caches = place.folder / "caches"
    return {
        "TMPDIR": os.fspath(temporary),
        "TORCHINDUCTOR_CACHE_DIR": os.fspath(caches / "inductor"),
        "TRITON_CACHE_DIR": os.fspath(caches / "triton"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _moved(word: str, root: Path, copy: Path) -> str:
    """A word of the command, a path in the project led to the copy."""
    name, equals, value = word.rpartition("=")
    top = os.path.join(root, "")
    if value == os.fspath(root) or value.startswith(top):
        value = os.path.join(copy, value[len(top) :])
    return f"{name}{equals}{value}"


def _awaited(process: subprocess.Popen[bytes], until: float) -> tuple[int, bool]:
    """The most memory that the process held, in bytes, and whether we had to end it."""
    timed_out = False
    try:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                unit = 1 if sys.platform == "darwin" else 1024
                return usage.ru_maxrss * unit, timed_out
            if time.perf_counter() > until and not timed_out:
                timed_out = True
                _end(process.pid)
            time.sleep(POLL)
    finally:
        # What it has started and left behind would disturb the next run.
        _end(process.pid)


def _end(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        return


@dataclass(frozen=True, slots=True)
class _Steps:
    count: int
    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class _Told:
    """What the process says of itself at its end."""

    wall: float
    cpu: float
    coreless: float
    steps: _Steps
    strangers: tuple[str, ...]


def _told(result: Path) -> _Told | None:
    import msgspec

    try:
        return msgspec.json.decode(result.read_bytes(), type=_Told)
    except (OSError, msgspec.DecodeError):
        return None


def _cost(told: _Told, peak: int) -> Cost:
    steps = told.steps
    return Cost(told.cpu, told.wall, peak, steps.count, steps.cpu, steps.wall, told.coreless)


def _text(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.read(LONGEST_KEPT).decode("utf-8", "replace")


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _forget(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
