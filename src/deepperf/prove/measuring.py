"""Measures changes against the unchanged program, in pairs of runs, until each is decided."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from deepperf.prove.compared import Pairs, is_wall, pays_off, quantity_in, stall, values_of
from deepperf.prove.offer import Machine, Quantity
from deepperf.prove.runs import UNCHANGED, Change, Cost, Outcome
from deepperf.prove.sameness import Expected, difference
from deepperf.prove.trial import (
    LOOKS,
    PROVEN,
    Answer,
    Gain,
    Sample,
    decided,
    decided_by_pace,
    gain_of,
    leaner,
    logs_of,
    noise_of,
)

STALLED = 0.1
"""Part of the time that a run has to wait for a core from which on its times say little."""
MOST_STALLED = 6
"""Pairs set aside, from which on the machine is too busy."""
LARGEST_BITE = 1 / 3
"""Part of the time that is left which the first look at a change may take, before all others have
had theirs."""
OUT_OF_TIME = "the time was up: give it more with --budget"
UNDECIDED = "the time was up before it was decided"
INTERRUPTED = "interrupted before it was begun"
CUT_OFF = "interrupted before it was decided"
ROOM = LOOKS[1]
"""Pairs for which there must be time before a change is begun: by then most are decided."""

Run = Callable[[Change], Outcome]
RunPair = Callable[[Change, Change], tuple[Outcome, Outcome]]


class Stopped(Exception):
    """The program would have written to the user's own files; the message names the file."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What measuring said: `said` explains it in a phrase, where there is more to say."""

    answer: Answer
    said: str = ""
    gain: Gain | None = None
    quantity: Quantity = Quantity.CPU
    pairs: Pairs = field(default_factory=Pairs)

    @property
    def memory(self) -> tuple[int, int] | None:
        """The peak before and after, in bytes; None where nothing was measured."""
        if not self.pairs.before:
            return None
        peaks = ([cost.peak for cost in costs] for costs in (self.pairs.before, self.pairs.after))
        before, after = (round(statistics.median(values)) for values in peaks)
        return before, after

    @property
    def pays_off(self) -> int:
        """After how many steps what starting costs more is won back; 0 where it costs no more."""
        return pays_off(self.quantity, self.pairs)

    @property
    def whole(self) -> tuple[float, float] | None:
        """Seconds of whole runs before and after; None unless steps are compared, by a clock."""
        if self.quantity is not Quantity.PACE:
            return None
        walls = ([cost.wall for cost in costs] for costs in (self.pairs.before, self.pairs.after))
        before, after = (statistics.median(values) for values in walls)
        return before, after


@dataclass(frozen=True, slots=True)
class Trial:
    """A change to be measured against another, or none; `expected` is what it may save.

    `starting` are seconds that it needs before the first step, which the other does not. Of the
    allowance for false wins it gets one part of `among`; 0 where all candidates get as much.
    """

    name: str
    change: Change
    quantity: Quantity
    base: Change = UNCHANGED
    expected: float = 0.0
    starting: float = 0.0
    among: float = 0.0


@dataclass(slots=True)
class Bench:
    """How to run the program, what it must give, until when; all that was measured so far.

    `apart` runs one behind the other, for what is judged by the clock; `seconds` is what a run of
    the unchanged program takes, imports included. Of the time `kept_back` seconds are for what is
    proven, all together, once there are two of these. None is left once it was `interrupted`.
    """

    run: Run
    beside: RunPair
    apart: RunPair
    expected: Expected
    machine: Machine
    candidates: int
    until: float
    tell: Callable[[str], None]
    seconds: float = 0.0
    kept_back: float = 0.0
    proven: int = 0
    interrupted: bool = False
    entered: list[_Entrant] = field(default_factory=list)

    @property
    def left(self) -> float:
        """Seconds that are left of the budget, without what is kept for trying all together."""
        if self.interrupted:
            return 0.0
        kept_back = self.kept_back if self.proven > 1 else 0.0
        return self.until - kept_back - time.perf_counter()

    def seconds_of_pair(self, trial: Trial) -> float:
        """What a pair will take, if the change takes as long as the unchanged program."""
        return 2 * self.seconds + trial.starting


@dataclass(slots=True)
class _Entrant:
    """What takes part: `seconds` is what a pair takes, as far as is known."""

    trial: Trial
    quantity: Quantity
    seconds: float
    pairs: Pairs = field(default_factory=Pairs)
    found: Judged | None = None

    def seconds_to(self, look: int) -> float:
        return self.seconds * (look - len(self.pairs.before))


def race(bench: Bench, trials: Sequence[Trial]) -> dict[int, Judged]:
    """Measure changes, each a few pairs before any gets more; what was said, by their numbers.

    Where the time does not do to decide all of them, the first ones are decided before any of the
    others is begun. Of those, what is cheap and promising is looked at first; a change
    of which a first look would take most of the time waits until the others are decided.

    Ctrl-C ends it: what was decided until then is said, and the bench is `interrupted`. Raises
    `Stopped`.
    """
    entrants = {
        number: _Entrant(trial, trial.quantity, bench.seconds_of_pair(trial))
        for number, trial in enumerate(trials)
    }
    waiting = dict(entrants)
    try:
        while waiting and bench.left > 0:
            for entrant in waiting.values():
                entrant.seconds = bench.seconds_of_pair(entrant.trial)
            _decide_all(bench, {n: waiting.pop(n) for n in _affordable(bench, waiting)})
    except KeyboardInterrupt:
        bench.interrupted = True
    return {number: one.found or _undecided(bench, one) for number, one in entrants.items()}


def _affordable(bench: Bench, waiting: Mapping[int, _Entrant]) -> list[int]:
    """The first ones that there is time to decide; one at least."""
    chosen: list[int] = []
    left = bench.left
    for number, entrant in waiting.items():
        seconds = entrant.seconds_to(ROOM)
        if seconds <= left:
            chosen.append(number)
            left -= seconds
    return chosen or [min(waiting, key=lambda number: waiting[number].seconds)]


def _decide_all(bench: Bench, entrants: Mapping[int, _Entrant]) -> None:
    """Run pairs of each until it is decided, or the time is up."""
    waiting = dict(entrants)
    for look in LOOKS:
        ready = [n for n, one in waiting.items() if not _waits(bench, one, look)]
        ready.sort(key=lambda n: waiting[n].seconds / max(waiting[n].trial.expected, 0.01))
        for number in ready:
            _look(bench, waiting[number], look)
        for number in ready:
            _decide(bench, waiting[number])
            if waiting[number].found is not None:
                del waiting[number]
    for entrant in sorted(waiting.values(), key=lambda one: one.seconds):
        for look in LOOKS:
            if entrant.found is None:
                _look(bench, entrant, look)
                _decide(bench, entrant)


def _waits(bench: Bench, entrant: _Entrant, look: int) -> bool:
    first = not entrant.pairs.before
    return first and (look != LOOKS[0] or entrant.seconds_to(look) > LARGEST_BITE * bench.left)


def _look(bench: Bench, entrant: _Entrant, look: int) -> None:
    """Run pairs until there are so many, or the time is up, or the entrant is out."""
    while entrant.found is None and len(entrant.pairs.before) < look and bench.left > 0:
        bench.tell(f"{entrant.trial.name}: pair {len(entrant.pairs.before) + 1}")
        begin = time.perf_counter()
        costs = _pair(bench, entrant)
        if isinstance(costs, Judged):
            entrant.found = costs
            return
        if not entrant.pairs.before and not entrant.pairs.set_aside:
            _enter(bench, entrant, time.perf_counter() - begin)
        entrant.pairs = _with(entrant.pairs, costs, bench, entrant.quantity)
        if entrant.pairs.before:
            entrant.quantity = quantity_in(entrant.pairs, entrant.trial.quantity, bench.machine)
        if entrant.pairs.set_aside > MOST_STALLED:
            said = "not measurable: others had all cores of this machine too often"
            entrant.found = Judged(
                Answer.NOT_TRIED, said, None, entrant.quantity, entrant.pairs
            )  # fmt: skip


def _enter(bench: Bench, entrant: _Entrant, seconds: float) -> None:
    """What the first pair told: how long a pair takes."""
    entrant.seconds = seconds
    bench.seconds = max(bench.seconds, (seconds - entrant.trial.starting) / 2)
    bench.entered.append(entrant)


def _pair(bench: Bench, entrant: _Entrant) -> tuple[Cost, Cost] | Judged:
    """The costs of the base and of the change, which take turns in going first."""
    trial = entrant.trial
    together = bench.apart if is_wall(entrant.quantity, bench.machine) else bench.beside
    made = len(entrant.pairs.before) + entrant.pairs.set_aside
    if made % 2:
        two, one = together(trial.change, trial.base)
    else:
        one, two = together(trial.base, trial.change)
    before, after = _checked(bench, one), _checked(bench, two)
    if isinstance(after, Judged):
        return after
    return before if isinstance(before, Judged) else (before, after)


def _with(pairs: Pairs, costs: tuple[Cost, Cost], bench: Bench, quantity: Quantity) -> Pairs:
    """One more pair; it is set aside where its times were others' doing."""
    before, after = costs
    if is_wall(quantity, bench.machine) and max(stall(before), stall(after)) > STALLED:
        return replace(pairs, set_aside=pairs.set_aside + 1)
    return replace(pairs, before=(*pairs.before, before), after=(*pairs.after, after))


def _decide(bench: Bench, entrant: _Entrant) -> None:
    if entrant.found is not None:
        return
    among = entrant.trial.among or bench.candidates
    judge = _by_pace if entrant.quantity is Quantity.PACE else _by_cost
    found = judge(bench, entrant, among)
    if found is not None:
        is_same = found.answer is Answer.NO_DIFFERENCE
        entrant.found = _in_memory(found, among) if is_same else found
        bench.proven += entrant.found.answer in PROVEN


def _by_cost(bench: Bench, entrant: _Entrant, among: float) -> Judged | None:
    sample = _sample(bench, entrant, entrant.quantity)
    found = decided(sample.before, sample.after, among, sample.noise)
    if found is None:
        return None
    return Judged(found[0], "", found[1], entrant.quantity, entrant.pairs)


def _by_pace(bench: Bench, entrant: _Entrant, among: float) -> Judged | None:
    """What steps say, and where they say nothing, whole runs: it may save before the steps."""
    pace, whole = (_sample(bench, entrant, one) for one in (Quantity.PACE, Quantity.WALL))
    found = decided_by_pace(pace, whole, among)
    if found is None:
        return None
    answer, gain, decisive = found
    quantity = Quantity.WALL if decisive is whole else Quantity.PACE
    return Judged(answer, "", gain, quantity, entrant.pairs)


def _in_memory(judged: Judged, among: float) -> Judged:
    """What no time tells apart may differ in the most memory that it holds."""
    before, after = (
        [max(1.0, float(cost.peak)) for cost in costs]
        for costs in (judged.pairs.before, judged.pairs.after)
    )
    gain = leaner(before, after, among)
    if gain is None:
        return judged
    return replace(judged, answer=Answer.LEANER, gain=gain, quantity=Quantity.MEMORY)


def _sample(bench: Bench, entrant: _Entrant, quantity: Quantity) -> Sample:
    """What was measured of it, and how much such values differ for all changes together."""
    # Behind each other, all whole runs are alike.
    is_whole = quantity is Quantity.WALL and bench.machine.accelerators > 0
    alike = [one for one in bench.entered if is_whole or one.quantity is quantity]
    groups = (logs_of(*values_of(quantity, one.pairs, bench.machine)) for one in alike)
    return Sample(*values_of(quantity, entrant.pairs, bench.machine), noise_of([*groups]))


def _undecided(bench: Bench, entrant: _Entrant) -> Judged:
    if not entrant.pairs.before:
        return Judged(Answer.NOT_TRIED, INTERRUPTED if bench.interrupted else OUT_OF_TIME)
    sample = _sample(bench, entrant, entrant.quantity)
    gain = gain_of(logs_of(sample.before, sample.after), sample.noise)
    said = CUT_OFF if bench.interrupted else UNDECIDED
    return Judged(Answer.NOT_TRIED, said, gain, entrant.quantity, entrant.pairs)


def _checked(bench: Bench, outcome: Outcome) -> Cost | Judged:
    """What a run cost that gives the same, else why it is out. Raises `Stopped`."""
    if outcome.written_through:
        raise Stopped(outcome.written_through)
    if outcome.timed_out:
        return Judged(Answer.NOT_TRIED, f"still running after {outcome.seconds:.0f} s")
    said = difference(bench.expected, outcome)
    if said and outcome.status != bench.expected.status:
        return Judged(Answer.NOT_TRIED, said)
    if said:
        return Judged(Answer.CHANGES_RESULTS, said)
    if outcome.cost is None:
        return Judged(Answer.NOT_TRIED, "it ended in a way that left no measurement")
    return outcome.cost
