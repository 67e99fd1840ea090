"""Measures a change against the unchanged program, in alternating pairs, until it is decided."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import cycle

from deepperf.prove.offer import Machine, Quantity
from deepperf.prove.runs import UNCHANGED, Change, Cost, Outcome
from deepperf.prove.sameness import Expected, difference
from deepperf.prove.trial import Answer, Gain, decided, gain_of, logs_of, noise_of

STALLED = 0.1
"""Part of the time that a run has to wait for a core from which on its times say little."""
MOST_STALLED = 6
"""Pairs set aside, from which on the machine is too busy."""

Run = Callable[[Change], Outcome]


class Stopped(Exception):
    """The program would have written to the user's own files; the message names the file."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The costs of pairs of runs, in the order in which they were made."""

    before: tuple[Cost, ...] = ()
    after: tuple[Cost, ...] = ()
    set_aside: int = 0


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
        if self.quantity is not Quantity.STEP or not self.pairs.before:
            return 0
        starts = []
        for costs in (self.pairs.before, self.pairs.after):
            step = statistics.median(cost.step_cpu for cost in costs)
            whole = statistics.median(cost.cpu - cost.steps * cost.step_cpu for cost in costs)
            starts.append((whole, step))
        (start, step), (start_after, step_after) = starts
        if step <= step_after:
            return 0
        return max(0, round((start_after - start) / (step - step_after)))


@dataclass(slots=True)
class Bench:
    """How to run the program, what it must give, until when, and all costs of it unchanged."""

    run: Run
    expected: Expected
    machine: Machine
    candidates: int
    until: float
    unchanged: list[Cost]

    @property
    def left(self) -> float:
        """Seconds that are left of the budget."""
        return self.until - time.perf_counter()


def judged(bench: Bench, quantity: Quantity, change: Change, base: Change = UNCHANGED) -> Judged:
    """Measure a change against another one, or none. Raises `Stopped`."""
    first = checked_run(bench, change)
    if isinstance(first, Judged):
        return first
    quantity = _measurable(quantity, bench.unchanged[0])
    pairs = Pairs()
    for changes in cycle(((base, change), (change, base))):
        costs: list[Cost] = []
        for one in changes:
            cost = checked_run(bench, one)
            if isinstance(cost, Judged):
                return cost
            costs.append(cost)
        pairs = _with(
            pairs, costs[changes.index(base)], costs[changes.index(change)], bench, quantity
        )
        if base is UNCHANGED:
            bench.unchanged.append(costs[changes.index(base)])
        if pairs.set_aside > MOST_STALLED:
            said = "not measurable: others had all cores of this machine too often"
            return Judged(Answer.NOT_TRIED, said, None, quantity, pairs)
        found = _decided(bench, quantity, pairs)
        if found is not None:
            return found
    raise AssertionError("there is no end of pairs")


def _with(pairs: Pairs, before: Cost, after: Cost, bench: Bench, quantity: Quantity) -> Pairs:
    """One more pair; it is set aside where its times were others' doing."""
    if _is_wall(quantity, bench.machine) and max(_stall(before), _stall(after)) > STALLED:
        return replace(pairs, set_aside=pairs.set_aside + 1)
    return replace(pairs, before=(*pairs.before, before), after=(*pairs.after, after))


def _decided(bench: Bench, quantity: Quantity, pairs: Pairs) -> Judged | None:
    before, after, unchanged = (
        [cost_in(quantity, cost, bench.machine) for cost in costs]
        for costs in (pairs.before, pairs.after, bench.unchanged)
    )
    noise = noise_of(unchanged)
    found = decided(before, after, bench.candidates, noise)
    if found is not None:
        return Judged(found[0], "", found[1], quantity, pairs)
    if bench.left > 0:
        return None
    gain = gain_of(logs_of(before, after), noise) if before else None
    said = "the time was up before it was decided"
    return Judged(Answer.NOT_TRIED, said, gain, quantity, pairs)


def checked_run(bench: Bench, change: Change) -> Cost | Judged:
    """What a run costs that gives the same, else why it is out. Raises `Stopped`."""
    outcome = bench.run(change)
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


def cost_in(quantity: Quantity, cost: Cost, machine: Machine) -> float:
    """What is compared: with an accelerator, only what a clock on the wall says."""
    if quantity is Quantity.STEP:
        return max(1e-9, cost.step_wall if machine.accelerators else cost.step_cpu)
    return max(1e-9, cost.wall if _is_wall(quantity, machine) else cost.cpu)


def _is_wall(quantity: Quantity, machine: Machine) -> bool:
    return quantity is Quantity.WALL or machine.accelerators > 0


def _measurable(quantity: Quantity, cost: Cost) -> Quantity:
    return Quantity.CPU if quantity is Quantity.STEP and not cost.steps else quantity


def _stall(cost: Cost) -> float:
    return cost.coreless / cost.wall if cost.wall > 0 else 0.0
