"""Runs a program once in a fresh copy of its project, in a process of its own."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from deepperf.bench.machine import environment as with_threads
from deepperf.dynamic.launch import bound_to_us, environment
from deepperf.prove.copying import copy_again
from deepperf.prove.guard import STOPPED, TOLD
from deepperf.prove.trajectory import Losses
from deepperf.prove.workplace import Workplace

_SERVER = """
import sys
began_with = [*sys.modules]
sys.path[:1] = filter(None, sys.path[:1])
from deepperf.prove.forks import serve
serve(began_with)
"""
Kind = TypeVar("Kind")
LONGEST_KEPT = 4_000_000
"""Characters that are kept of what a program prints."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run took, importing packages left out. Times are in seconds, memory is in bytes.

    `step_wall` and `step_cpu` are per step, in the second half of the steps; 0 without steps.
    `paced` is per step, too, from the middle of the steps to the end of the program, by the clock
    of the accelerator; 0 without one that tells.
    `coreless` is how long the main thread waited while others had all cores. `peak` is that of the
    accelerators where a framework held memory on one, else that of the processes.
    """

    cpu: float
    wall: float
    peak: int
    steps: int = 0
    step_cpu: float = 0.0
    step_wall: float = 0.0
    coreless: float = 0.0
    paced: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, what it printed and wrote, and what it cost (None where that is not known).

    `files` has the content of files that are to be compared, None for those that are not there.
    `seconds` is what the run took as a whole. `timed_out` is one that was ended by us, `strangers`
    are modules that were not imported from the copy; `accelerated` is one that used an accelerator.
    `modules` are all that a watched run had imported at its end, in their order; `losses` those of
    its training, where they could be read.
    """

    status: int
    output: str
    errors: str
    files: Mapping[str, bytes | None]
    seconds: float
    cost: Cost | None = None
    timed_out: bool = False
    strangers: tuple[str, ...] = ()
    accelerated: bool = False
    modules: tuple[str, ...] = ()
    losses: Losses | None = None

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
    program: Program,
    place: Workplace,
    server: Server,
    change: Change,
    most: float,
    trace: Path | None = None,
    core: int | None = None,
) -> Outcome:
    """Run the program with a change made, for at most so many seconds, watched if there is a trace.

    Its threads share one core if one is named. Raises OSError.
    """
    copy, kept = place.folder / f"run{server.number}", place.folder / f"kept{server.number}"
    template = place.folder / "template"
    _forget(copy)
    copy_again(template, copy)
    for path, content in change.files.items():
        (copy / path).write_bytes(content)
    kept.mkdir(exist_ok=True)
    temporary = place.folder / f"tmp{server.number}"
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
    order = {
        "words": [json.dumps(job), *words],
        "folder": os.fspath(copy / program.folder),
        "output": os.fspath(output),
        "errors": os.fspath(errors),
        "variables": {"TMPDIR": os.fspath(temporary)},
        "core": core,
    }
    begin = time.perf_counter()
    status, peak, timed_out = server.run(order, place, begin + most)
    seconds = time.perf_counter() - begin
    told = _told(result, _Told)
    return Outcome(
        status=status,
        output=_text(output).replace(os.fspath(copy), os.fspath(program.root)),
        errors=_text(errors),
        files={name: _content(copy / program.folder / name) for name in program.compared},
        seconds=seconds,
        cost=_cost(told, peak) if told else None,
        timed_out=timed_out,
        strangers=told.strangers if told else (),
        accelerated=told is not None and told.accelerated,
        losses=told.losses if told else None,
        modules=_told(result, tuple[str, ...]) or () if trace else (),
    )


class Server:
    """A process that forks for each run; several have different numbers, and folders."""

    __slots__ = ("_process", "number")

    def __init__(self, process: subprocess.Popen[str], number: int) -> None:
        self._process = process
        self.number = number

    def run(
        self, order: Mapping[str, object], place: Workplace, until: float
    ) -> tuple[int, int, bool]:
        """The exit status of a run, the most memory that it held, and whether we ended it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        number = int(self._process.stdout.readline() or "0")
        if not number:
            raise OSError("the process that starts runs is gone")
        place.begins(number)
        timed_out = False
        try:
            if not select.select([self._process.stdout], [], [], until - time.perf_counter())[0]:
                timed_out = True
                _end(number)
            status, peak = self._process.stdout.readline().split()
        finally:
            # What it has started and left behind would disturb the next run.
            _end(number)
            place.ended(number)
        unit = 1 if sys.platform == "darwin" else 1024
        return int(status), int(peak) * unit, timed_out


@contextmanager
def serving(
    threads: int, place: Workplace, preloaded: Sequence[str] = (), number: int = 0
) -> Iterator[Server]:
    """Gives what starts runs, with some modules imported already."""
    variables = {**with_threads(threads), **environment(), **_places(place)} | _pools(threads)
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        preexec_fn=bound_to_us(),  # noqa: PLW1509 - we have one thread
    )
    try:
        assert process.stdin is not None
        process.stdin.write(json.dumps([*preloaded]) + "\n")
        process.stdin.flush()
        yield Server(process, number)
    finally:
        _end(process.pid)
        process.wait()


def _pools(threads: int) -> dict[str, str]:
    """The variables that hold the pools of libraries to so many threads."""
    wanted = with_threads(threads)
    return {name: value for name, value in wanted.items() if os.environ.get(name) != value}


def _places(place: Workplace) -> dict[str, str]:
    """Where libraries put what is to be gone with the rest."""
    caches = place.folder / "caches"
    return {
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
    paced: float = 0.0


@dataclass(frozen=True, slots=True)
class _Told:
    """What the process says of itself at its end."""

    wall: float
    cpu: float
    coreless: float
    steps: _Steps
    strangers: tuple[str, ...]
    accelerated: bool
    held: int = 0
    losses: Losses | None = None


def _told(result: Path, kind: type[Kind]) -> Kind | None:
    import msgspec

    try:
        return msgspec.json.decode(result.read_bytes(), type=kind, strict=False)
    except (OSError, msgspec.DecodeError):
        return None


def _cost(told: _Told, peak: int) -> Cost:
    steps = told.steps
    most = told.held or peak
    return Cost(
        told.cpu, told.wall, most, steps.count, steps.cpu, steps.wall, told.coreless, steps.paced
    )


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
