"""Proves: copies the project, watches a run, tries what may help, and combines what does."""

from __future__ import annotations

import datetime
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.bench.measure import usable_cores
from deepperf.config.load import RootKind, project_root
from deepperf.config.options import WrongUse
from deepperf.dynamic.diagnosis import diagnose
from deepperf.dynamic.join import checked, confirmed
from deepperf.dynamic.recorded import read_recording
from deepperf.dynamic.recording.trace import Trace
from deepperf.prove.candidates import (
    Candidate,
    change_of,
    from_findings,
    from_opportunities,
    ranked,
    reached_files,
    shares,
    texts_of,
    weighed,
)
from deepperf.prove.combining import Combination, attempt_on, combined
from deepperf.prove.copying import copy_project, marks_of, planned, walked
from deepperf.prove.guard import TOLD
from deepperf.prove.losses import Losses
from deepperf.prove.measuring import Bench, Judged, Stopped, Trial, race
from deepperf.prove.offer import Machine
from deepperf.prove.printed import Text, spoken
from deepperf.prove.runs import (
    UNCHANGED,
    Change,
    Outcome,
    Program,
    Server,
    run_once,
    serving,
)
from deepperf.prove.sameness import TOLERANCE, Expected, expected_of
from deepperf.prove.trial import PROVEN, Answer
from deepperf.prove.workplace import Workplace, workplace
from deepperf.semantics.text.source import Source

if TYPE_CHECKING:
    from deepperf.check.survey import Start

FOR_COMBINING = 0.3
"""Part of the budget that is kept for what is proven, all together."""
LONGEST = 86_400.0
REFERENCES = 2
"""Runs of the unchanged program, after the watched one, that tell what is the same in each."""


class NotProvable(Exception):
    """The program cannot be proven anything about, in one line that says why."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asks for. `budget` is in seconds, `compared` are files that are to be alike."""

    words: tuple[str, ...]
    folder: Path
    budget: float = 600.0
    compared: tuple[str, ...] = ()
    metric: str = ""
    tolerance: float = TOLERANCE
    threads: int = 1
    copied: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of it, until it was `interrupted` if it was. `sources` are the files as they were,
    `change` is what is proven of them."""

    request: Request
    root: Path
    tried: tuple[tuple[Candidate, Judged], ...]
    combination: Combination | None
    expected: Expected
    sources: Mapping[str, Source]
    change: Change
    runs: int
    seconds: float
    machine: Machine
    versions: Mapping[str, str]
    date: str
    remarks: tuple[str, ...] = ()
    interrupted: bool = False


Tell = Callable[[str], None]
"""Told in one line what is done now."""


def prove(request: Request, tell: Tell) -> Proof:
    """Try everything that may help, within the budget. Ctrl-C ends it, once changes are tried,
    with what was decided until then.

    Raises `WrongUse` and `NotProvable`.
    """
    begin = time.perf_counter()
    root = _root(request.folder)
    items = planned(walked(root), _matcher(request.copied))
    marks = marks_of(root, items)
    with workplace() as place:
        template = place.folder / "template"
        template.mkdir()
        copy_project(root, items, template)
        program = Program(
            root=root,
            folder=os.path.relpath(os.path.realpath(request.folder), root),
            words=request.words,
            threads=request.threads,
            compared=request.compared,
            protected=tuple(marks),
        )
        try:
            tell("watching a first run")
            with serving(request.threads, place) as server:
                watched = _watched(Session(program, place, (server,), marks))
            # What it imports of frameworks, late too, is imported once for all further runs.
            packages = watched.trace.versions.keys()
            modules = [
                name for name in watched.outcome.modules if name.partition(".")[0] in packages
            ]
            with (
                serving(request.threads, place, modules) as one,
                serving(request.threads, place, modules, number=1) as other,
            ):
                session = Session(program, place, (one, other), marks, runs=1)
                return _proven(request, session, watched, begin, tell)
        except Stopped as stopped:
            raise NotProvable(
                f"stopped: the program writes to {stopped}, which is your own file: say "
                f"--copy {os.path.basename(str(stopped))} to have it write to a copy"
            ) from None


@dataclass(slots=True)
class Session:
    """Runs of one program, counted; after each, what is linked must be as it was."""

    program: Program
    place: Workplace
    servers: tuple[Server, ...]
    marks: Mapping[str, tuple[int, int]]
    runs: int = 0
    most: float = LONGEST
    strangers: set[str] = field(default_factory=set)

    def run(self, change: Change, trace: Path | None = None) -> Outcome:
        """Run it once."""
        server = self.servers[0]
        return self._sound(run_once(self.program, self.place, server, change, self.most, trace))

    def apart(self, one: Change, two: Change) -> tuple[Outcome, Outcome]:
        """Run it with each of two changes, one behind the other."""
        return self.run(one), self.run(two)

    def beside(self, one: Change, two: Change) -> tuple[Outcome, Outcome]:
        """Run it with both changes at the same time, on one core that they share.

        The kernel has them take turns every few milliseconds, so that whatever makes the core
        faster or slower does so to both. Where a process cannot be bound to a core, or several
        threads are to be used, they run one behind the other.
        """
        cores = usable_cores()
        if self.program.threads != 1 or not cores:
            return self.apart(one, two)
        # Others who bind their processes mostly take the first ones.
        core = random.choice(cores)
        with ThreadPoolExecutor(2) as pool:
            started = [
                pool.submit(
                    run_once, self.program, self.place, server, change, self.most, None, core
                )
                for server, change in zip(self.servers, (one, two), strict=True)
            ]
            try:
                first, second = (run.result() for run in started)
            except BaseException:
                self.place.end_all()
                raise
        return self._sound(first), self._sound(second)

    def _sound(self, outcome: Outcome) -> Outcome:
        self.runs += 1
        self.strangers.update(outcome.strangers)
        for path, mark in self.marks.items():
            status = os.stat(path)
            if (status.st_size, status.st_mtime_ns) != mark:
                raise Stopped(path)
        return outcome


def _proven(
    request: Request, session: Session, watched: _Watched, begin: float, tell: Tell
) -> Proof:
    root = session.program.root
    trace, template = watched.trace, session.place.folder / "template"
    tell("running it unchanged, to learn what is the same in each run")
    references = [session.run(UNCHANGED) for _ in range(REFERENCES)]
    for outcome in references:
        _require_sound(outcome)
    if session.strangers:
        raise NotProvable(
            f"`{min(session.strangers)}` is imported from your project and not from the copy of it"
        )
    expected = expected_of([watched.outcome, *references], request.metric, request.tolerance)
    if isinstance(expected, str):
        raise NotProvable(expected)
    machine = _machine(references)
    reached = reached_files(template, trace.reached, watched.copy)
    sources = texts_of(template, reached)
    start = _start(root, template, [*sources])
    candidates = tuple(
        one
        for one in _candidates(watched, start, machine, sources)
        if not request.only or one.name in request.only
    )
    typical = max(outcome.seconds for outcome in references)
    # Two that share a core take as long as both together.
    session.most = 60 + 6 * typical
    bench = Bench(
        run=session.run,
        beside=session.beside,
        apart=session.apart,
        expected=expected,
        machine=machine,
        candidates=max(1, len(candidates)),
        until=begin + request.budget,
        kept_back=FOR_COMBINING * request.budget,
        tell=tell,
        seconds=typical,
    )
    tried = [*zip(candidates, _tried(bench, candidates, sources), strict=True)]
    bench.kept_back = 0.0
    proven = [one for one in tried if one[1].answer in PROVEN]
    combination = None
    if proven:
        tell("what is proven, all together")
        combination = combined(proven, attempt_on(bench, sources))
    return Proof(
        request=request,
        root=root,
        tried=tuple(tried),
        combination=combination,
        expected=expected,
        sources=sources,
        change=change_of(combination.kept, sources) if combination else UNCHANGED,
        runs=session.runs,
        seconds=time.perf_counter() - begin,
        machine=machine,
        versions={"python": trace.python, **trace.versions},
        date=datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
        remarks=tuple(_remarks(expected)),
        interrupted=bench.interrupted,
    )


@dataclass(frozen=True, slots=True)
class _Watched:
    """The first run: its trace, how it ended, and in which folder it ran."""

    trace: Trace
    outcome: Outcome
    copy: Path


def _watched(session: Session) -> _Watched:
    path = session.place.folder / "run.dperf"
    outcome = session.run(UNCHANGED, path)
    _require_sound(outcome, "watched, ")
    if not path.exists():
        raise NotProvable("the program ended before anything could be recorded")
    return _Watched(read_recording(path).trace, outcome, session.place.folder / "run0")


def _require_sound(outcome: Outcome, how: str = "") -> None:
    """Raises `NotProvable` and `Stopped`."""
    if outcome.written_through:
        raise Stopped(outcome.written_through)
    if outcome.status:
        rows = [row.strip() for row in outcome.errors.splitlines() if row.strip()]
        said = f": {rows[-1][:300]}" if rows and not rows[-1].startswith(TOLD) else ""
        raise NotProvable(f"{how}the program ends with exit status {outcome.status}{said}")
    if not how and outcome.cost is None:
        raise NotProvable("the program ends in a way that leaves no measurement")


def _tried(
    bench: Bench, candidates: Sequence[Candidate], sources: Mapping[str, Source]
) -> list[Judged]:
    said: dict[int, Judged] = {}
    trials: dict[int, Trial] = {}
    for number, (one, among) in enumerate(zip(candidates, shares(candidates), strict=True)):
        try:
            name = f"{number + 1} of {len(candidates)}, {one.name} in {one.place}"
            change = change_of([one], sources)
            trials[number] = Trial(
                name,
                change,
                one.quantity,
                expected=one.expected,
                starting=one.starting,
                among=among,
            )
        except (ValueError, UnicodeEncodeError) as error:
            said[number] = Judged(Answer.NOT_TRIED, str(error))
    found = race(bench, [*trials.values()])
    said.update({number: found[place] for place, number in enumerate(trials)})
    return [said[number] for number in range(len(candidates))]


def _candidates(
    watched: _Watched, start: Start, machine: Machine, sources: Mapping[str, Source]
) -> tuple[Candidate, ...]:
    """All candidates in the files that ran, with paths from the project's root."""
    from deepperf.check.paths import check_tree

    copy = watched.copy
    found = [(f.location.path, f) for report in check_tree(start).reports for f in report.findings]
    told = diagnose(watched.trace)
    whole = [(os.path.join(copy, path), finding) for path, finding in found]
    outcomes = checked((watched.trace,), confirmed(told, whole), whole)
    paths = [os.path.relpath(path, start.root) for path in start.paths]
    top = os.path.join(copy, "")
    losses = Losses(watched.trace, told, top)
    offered = (
        *from_findings(found, outcomes, losses),
        *from_opportunities(start, paths, machine, losses),
    )
    reached = {path[len(top) :]: {*lines} for path, lines in watched.trace.reached.items()}
    return ranked(weighed(offered, sources, reached))


def _start(root: Path, template: Path, paths: Sequence[str]) -> Start:
    """The project as it was copied, with all rules and the settings of where it came from."""
    from deepperf.check.survey import Start
    from deepperf.config.load import load_options

    options, config = load_options(root)
    widened = replace(options, select=("all", *options.select), preview=True, cache=False)
    whole = tuple(template / path for path in paths)
    return Start(template, RootKind.MARKED, whole, widened, config)


def _machine(references: Sequence[Outcome]) -> Machine:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Machine(cores or 1, int(any(outcome.accelerated for outcome in references)))


def _root(folder: Path) -> Path:
    """The folder that is copied."""
    found, kind = project_root(folder)
    if kind is RootKind.INSTALLED:
        raise WrongUse(f"{found}: installed packages cannot be proven anything about")
    return Path(os.path.realpath(found))


def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    from deepperf.check.patterns import matcher

    return matcher(patterns)


def _remarks(expected: Expected) -> Iterator[str]:
    texts = [expected.printed, *(one for one in expected.files.values() if isinstance(one, Text))]
    if expected.compares_nothing:
        yield (
            "no result was compared: the program prints no number that is the same in each run; "
            "name a file with --check, or a number with --metric"
        )
    elif any(text.unstable for text in texts):
        number = sum(len(text.unstable) for text in texts)
        yield (
            f"{number} of the {sum(len(text.numbers) for text in texts)} numbers that it gives "
            "differ from run to run and were not compared; to compare one, use --metric"
        )
    if expected.losses.stable:
        yield "the losses of the training were compared"
    if any(text.times for text in texts):
        yield "times that it prints were not compared"
    loose = sorted({spoken(words) for text in texts for words in text.loose})
    if loose:
        yield f"lines that differ from run to run were not compared, such as {loose[0]}"
