"""The trace of a run: what was observed, in a form that outlives the process and the version."""

from __future__ import annotations

import enum
import gzip
import itertools
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

MAGIC = b"\x1f\x8b"
"""What a trace begins with: it is packed by gzip."""
FORMAT = "deepperf trace"
VERSION = 6
SUFFIX = ".dperf"
COMPRESSED = 1
"""How hard a trace is packed: as hard as can be takes six times as long, for 5 % of the bytes."""

Point = tuple[int, float, float, int]
"""Steps until then, seconds since the run began, the longest step since the point before in
seconds, and the bytes held."""

BEGUN = "begun"
"""The kind under which the first process is told what those that it started took to begin."""
OPTIMIZER_STEPS = "optimizer steps"
BATCHES = "training batches"
TRAINING_CALLS = "calls of the training function"
SESSION_RUNS = "session runs"
JITTED_CALLS = "calls of a jitted function"
CLOCKS = (OPTIMIZER_STEPS, BATCHES, TRAINING_CALLS, SESSION_RUNS, JITTED_CALLS)
"""What ticks once in a step, the surest first."""
SELDOM = 10
"""How many times less often than another a clock ticks that tells no steps: tracing a training
function, too, calls an optimizer."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a signal saw at a line of the user's code, summed over the run.

    `kind` is the signal's own word; `seconds` and `bytes` are 0 where it measures none;
    `detail` holds what else the signal needs to explain itself.
    """

    kind: str
    file: str
    line: int
    function: str
    count: int = 0
    seconds: float = 0.0
    bytes: int = 0
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Samples:
    """How often a line was found on the stack of a thread.

    `own` counts samples in which no other line of the user's was further in, `python` those
    of them in which the line itself ran, and not a function of a framework called from it, and
    `packages` the others by the installed package that was at work; `waited` those of them in
    which nothing was computed. `calls` are the others by the functions of libraries, the outermost
    first, "train/training_step/backward", through which the line was at work.
    """

    file: str
    line: int
    function: str
    total: int
    own: int
    python: int
    waited: int = 0
    packages: Mapping[str, int] = field(default_factory=dict)
    calls: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stack:
    """How often the main thread had these lines on its stack, the innermost first: by their place
    among the samples."""

    lines: tuple[int, ...]
    looks: int


@dataclass(frozen=True, slots=True)
class ThreadTime:
    """What threads of one kind computed, beside the main one: how many there were, their seconds
    of the processor, and where these went, by looks as long as those at the main thread. Those in
    which one waited are apart, by the clock."""

    name: str
    count: int
    cpu_seconds: float
    samples: tuple[Samples, ...]


@dataclass(frozen=True, slots=True)
class Clock:
    """Something that ticked once in each step: an optimizer, a training's batches, a session.

    `first` and `last` are when its first and its last step ended, `points` are spread evenly
    over its steps.
    """

    name: str
    count: int
    first: float
    last: float
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A run of one process. Times are in seconds since it began, memory is resident and in bytes.

    `process` is its number for the system, `parent` that of the one that started it, 0 where
    deepperf did; `rank` is the one that it has among the `ranks` that train together, `role` what
    it is called. `startup` is the processor's time until it was recorded, that for setting up
    recording included; `children_cpu_seconds` is that of the processes that it waited for.

    `importing` is the time in which installed packages were imported. What a signal's share
    refers to is `work_seconds`, the rest without `idle`, in which an event loop had nothing to do;
    samples are only taken then, `sampled` counts them. They are of the main thread, in which each
    stands for as long a time, be it computed or waited; `threads` are the others.
    `memory` holds pairs of time and bytes. `overhead` is the time that recording took.
    `reached` are lines, by file, that surely ran; of others nothing is known.
    `coreless` is how long the main thread was ready to run while others had all cores, `waited` how
    long it stood, and neither computed nor was idle.
    `ended` is "exit", "interrupted" by Ctrl-C, or "running" where the process was killed before it
    could say so. `unwatched` is how much longer it ran than it was watched.
    """

    command: tuple[str, ...]
    folder: str
    began: str
    seconds: float
    importing: float
    cpu_seconds: float
    coreless: float
    python: str
    versions: Mapping[str, str]
    machine: Mapping[str, str | int]
    interval: float
    samples: tuple[Samples, ...]
    sampled: int
    memory: tuple[tuple[float, int], ...]
    clocks: tuple[Clock, ...]
    observations: tuple[Observation, ...]
    reached: Mapping[str, tuple[int, ...]]
    problems: tuple[str, ...]
    overhead: float
    ended: str
    process: int = 0
    rank: int = 0
    parent: int = 0
    role: str = ""
    ranks: int = 1
    startup: float = 0.0
    children_cpu_seconds: float = 0.0
    idle: float = 0.0
    waited: float = 0.0
    main_cpu_seconds: float = 0.0
    threads: tuple[ThreadTime, ...] = ()
    stacks: tuple[Stack, ...] = ()
    unwatched: float = 0.0

    @property
    def work_seconds(self) -> float:
        """How long the program itself ran, once what it imports was there."""
        return max(0.0, self.seconds - self.importing - self.idle)

    @property
    def peak(self) -> int:
        """The most memory that was seen to be held, in bytes; 0 where the system does not tell."""
        at_steps = (point[3] for clock in self.clocks for point in clock.points)
        return max(itertools.chain((held for _, held in self.memory), at_steps), default=0)

    @property
    def steps(self) -> Mapping[str, int]:
        """The count of each clock, by its name."""
        return {clock.name: clock.count for clock in self.clocks}

    @property
    def clock(self) -> Clock | None:
        """The clock that tells steps best: the surest of those that ticked often."""
        often = max((clock.count for clock in self.clocks), default=0) / SELDOM
        ticked = [clock for clock in self.clocks if clock.count >= often]
        return min(ticked, key=lambda clock: CLOCKS.index(clock.name), default=None)


def shown_path(trace: Trace, file: str) -> str:
    """A file's path as somebody sees it who stands in the folder of the run."""
    return file.removeprefix(os.path.join(trace.folder, ""))


def write_trace(path: Path, processes: Sequence[Trace], told: object = None) -> None:
    """Write a trace whole or not at all, with what is said of it once that is known.

    Raises OSError.
    """
    data = {"format": FORMAT, "version": VERSION, "processes": processes, "told": told}
    text = json.dumps(data, separators=(",", ":"), default=_plain)
    packed = gzip.compress(text.encode("utf-8"), COMPRESSED, mtime=0)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.write_bytes(packed)
    fresh.replace(path)


def _plain(value: Any) -> object:
    """A value as JSON knows it, without a copy of all that it holds."""
    if isinstance(value, enum.Enum):
        return value.value
    return {field.name: getattr(value, field.name) for field in fields(value)}
