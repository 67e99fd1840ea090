"""What a scan of many packages would take: the real plan and store on machines that are not.

Sizes and times, those of packages that met a limit too, are drawn from a run: CPU seconds, as if
each process had a core to itself. Machines are lost with what they do, and
processes are killed, hang or run out of memory, at rates far above those that were seen.
"""

from __future__ import annotations

import heapq
import itertools
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rich.console import RenderableType

from deepperf.config.options import WrongUse
from deepperf.scan.engines import Answer, Engine
from deepperf.scan.package import Batch, Limits, Package, Scanned, Spent, State, Tree
from deepperf.scan.run import run_scan, this_machine
from deepperf.scan.store import asked, read_run
from deepperf.scan.trying import tried

START = 1.5
"""Seconds until the process of a batch has loaded the rules."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Machines: cores in all, the price of a core's hour, and how often what goes wrong.

    The rates are per attempt, that of lost machines per batch.
    """

    slots: int = 96
    price: float = 0.05
    killed: float = 0.005
    hanging: float = 0.002
    large: float = 0.002
    lost: float = 0.01


@dataclass(frozen=True, slots=True)
class Simulated:
    """Hours until all is done, core hours in all, price for 1,000 packages, and how rows ended."""

    run: str
    packages: int
    rows: int
    lost: int
    hours: float
    core_hours: float
    per_thousand: float
    states: Mapping[str, int]
    tried_again: int
    lost_batches: int
    cluster: Mapping[str, float]
    drawn_from: int
    machine: Mapping[str, str | int]
    date: str


@dataclass(frozen=True, slots=True)
class _Measured:
    size: int
    seconds: float
    peak: int
    state: State


class _Lost(Exception):
    """A machine went away with what it did."""


@dataclass(slots=True)
class _Clock:
    """The time on machines that are not there, and what they are doing."""

    cluster: Cluster
    limits: Limits
    source: random.Random
    like: Mapping[str, _Measured]
    now: float = 0.0
    worked: float = 0.0
    lost: int = 0

    def outcome(self, package: Package) -> Scanned:
        """What an attempt at a package gives."""
        like, cluster = self.like[package.path], self.cluster
        luck = self.source.random()
        wall = self.limits.seconds * self.limits.patience
        for rate, state, share in (
            (cluster.killed, State.KILLED, like.seconds * self.source.random()),
            (cluster.hanging, State.SLOW, wall),
            (cluster.large, State.LARGE, like.seconds),
        ):
            if luck < rate:
                return self._row(package, state, share)
            luck -= rate
        return self._row(package, like.state, like.seconds)

    def _row(self, package: Package, state: State, seconds: float) -> Scanned:
        self.worked += seconds
        peak = self.like[package.path].peak
        tree = Tree(digest=package.name, bytes=package.size) if state is State.DONE else Tree()
        spent = Spent(seconds=seconds, elapsed=seconds, peak=peak)
        return Scanned(package.name, package.version, state, "simulated", tree, spent)


def _engine(clock: _Clock) -> Engine:
    """Batches run at once as far as there are slots, each ending when it would."""
    ends: list[tuple[float, int, Answer]] = []
    free = [0.0] * clock.cluster.slots
    number = itertools.count()

    def submit(batch: Batch) -> Answer:
        answer: Answer = Future()
        begin = max(clock.now, heapq.heappop(free))
        before = clock.worked
        rows = tuple(tried(package, clock.outcome) for package in batch.packages)
        took = START + clock.worked - before
        if clock.source.random() < clock.cluster.lost:
            clock.lost += 1
            took *= clock.source.random()
            answer.set_exception(_Lost("the machine is gone"))
        else:
            answer.set_result(rows)
        clock.worked = before + took
        heapq.heappush(free, begin + took)
        heapq.heappush(ends, (begin + took, next(number), answer))
        return answer

    def wait(
        answers: Iterable[Answer],
        /,
        timeout: float | None,  # noqa: ARG001 - one signature
        return_when: str,  # noqa: ARG001
    ) -> tuple[set[Answer], set[Answer]]:
        clock.now, _, answer = heapq.heappop(ends)
        return {answer}, set(answers) - {answer}

    return Engine(submit, wait, clock.cluster.slots)


def simulated(store: Path, run: str, count: int, cluster: Cluster, seed: int) -> Simulated:
    """A scan of `count` packages like those of a run. Raises `WrongUse` for a run without any."""
    about = read_run(store, run)
    measured = _measured(store, run)
    if not measured:
        raise WrongUse(f"run {run!r} has no package whose time is known")
    source = random.Random(seed)
    keys = sorted(measured)
    packages = tuple(
        Package(f"package-{number:07}", "1", like, size=measured[like].size)
        for number, like in enumerate(source.choices(keys, k=count))
    )
    clock = _Clock(cluster, about.limits, source, measured)
    with tempfile.TemporaryDirectory(prefix="deepperf-simulated-") as folder:
        made = replace(about, name="simulated", via="simulation", seconds=0.0)
        run_scan(packages, Path(folder), made, _engine(clock))
        states, again = _rows(Path(folder))
    rows = sum(states.values())
    hours, core_hours = clock.now / 3600, clock.worked / 3600
    return Simulated(
        run, count, rows, count - rows, hours, core_hours,
        1000 * core_hours * cluster.price / count, states, again, clock.lost, asdict(cluster),
        len(keys), about.machine or this_machine(), about.date,
    )  # fmt: skip


def _measured(store: Path, run: str) -> Mapping[str, _Measured]:
    with asked(store) as database:
        rows = database.execute(
            "SELECT name || ' ' || version, bytes, seconds + preparing, peak, state FROM packages "
            "JOIN tasks USING (run, name, version) WHERE run = ?",
            [run],
        ).fetchall()
    found = {
        name: _Measured(size, seconds, peak, State(state))
        for name, size, seconds, peak, state in rows
    }
    # What was there before took no time, and what the machine did to others says nothing of them.
    told = (State.DONE, State.SLOW, State.LARGE, State.UNREADABLE)
    return {name: one for name, one in found.items() if one.state in told}


def _rows(store: Path) -> tuple[Mapping[str, int], int]:
    with asked(store) as database:
        counted = database.execute("SELECT state, count(*) FROM tasks GROUP BY 1").fetchall()
        (again,) = database.execute("SELECT count(*) FROM tasks WHERE tries > 1").fetchone() or (0,)
    return dict(Counter(dict(counted)).most_common()), again


def told(result: Simulated) -> RenderableType:
    """What a simulation says, in lines."""
    from rich.text import Text

    states = ", ".join(f"{count:,} {state}" for state, count in result.states.items())
    return Text(
        f"{result.packages:,} packages, like {result.drawn_from:,} of run {result.run}\n"
        f"{result.hours:.1f} hours on {result.cluster['slots']:.0f} cores "
        f"({result.core_hours:,.0f} core hours)\n"
        f"{result.per_thousand:.2f} for 1,000 packages, at "
        f"{result.cluster['price']:g} a core's hour\n"
        f"{result.rows:,} rows, {result.lost:,} lost: {states}\n"
        f"{result.tried_again:,} tried again, {result.lost_batches:,} batches lost with a machine"
    )
