"""What of the costs of runs is compared: CPU time, the clock, or the pace of the steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from deepperf.prove.offer import Machine, Quantity
from deepperf.prove.runs import Cost
from deepperf.prove.trial import gain_of, logs_of


@dataclass(frozen=True, slots=True)
class Pairs:
    """The costs of pairs of runs, in the order in which they were made."""

    before: tuple[Cost, ...] = ()
    after: tuple[Cost, ...] = ()
    set_aside: int = 0

    @property
    def both(self) -> Iterable[Cost]:
        return (*self.before, *self.after)


def quantity_in(pairs: Pairs, wanted: Quantity, machine: Machine) -> Quantity:
    """What can be compared in these pairs of what was to be.

    Steps are compared only where all runs made as many, by the same clock: only then is a step of
    one the work of a step of the other.
    """
    costs = [*pairs.both]
    are_alike = len({cost.steps for cost in costs}) == 1 and all(cost.steps for cost in costs)
    if machine.accelerators and wanted is not Quantity.STEP:
        is_paced = are_alike and all(cost.paced > 0 for cost in costs)
        return Quantity.PACE if is_paced else wanted
    return Quantity.CPU if wanted is Quantity.STEP and not are_alike else wanted


def values_of(
    quantity: Quantity, pairs: Pairs, machine: Machine
) -> tuple[list[float], list[float]]:
    """What is compared, of the runs before and after."""
    before, after = (
        [cost_in(quantity, cost, machine) for cost in costs]
        for costs in (pairs.before, pairs.after)
    )
    return before, after


def cost_in(quantity: Quantity, cost: Cost, machine: Machine) -> float:
    """What is compared of a run: with an accelerator, only what a clock says."""
    if quantity is Quantity.PACE:
        return cost.paced
    if quantity is Quantity.STEP:
        return max(1e-9, cost.step_wall if machine.accelerators else cost.step_cpu)
    return max(1e-9, cost.wall if is_wall(quantity, machine) else cost.cpu)


def is_wall(quantity: Quantity, machine: Machine) -> bool:
    """Whether a clock decides."""
    return quantity is Quantity.WALL or machine.accelerators > 0


def pays_off(quantity: Quantity, pairs: Pairs) -> int:
    """After how many steps what starting costs more is won back; 0 where it costs no more."""
    if quantity not in (Quantity.STEP, Quantity.PACE) or not pairs.before:
        return 0
    both = pairs.before, pairs.after
    before, after = ([_start_and_step(quantity, cost) for cost in costs] for costs in both)
    (starts, steps), (later, faster) = zip(*before, strict=True), zip(*after, strict=True)
    longer, won = (median(later) - median(starts)), (median(steps) - median(faster))
    is_sure = quantity is Quantity.STEP or _are_longer(starts, later)
    return max(0, round(longer / won)) if won > 0 and is_sure else 0


def _start_and_step(quantity: Quantity, cost: Cost) -> tuple[float, float]:
    """What a run cost besides its steps, and what one of these, by the same clock."""
    if quantity is Quantity.PACE:
        whole, step = cost.wall, cost.paced
    elif cost.paced:
        whole, step = cost.wall, cost.step_wall
    else:
        whole, step = cost.cpu, cost.step_cpu
    return whole - cost.steps * step, step


def _are_longer(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether starts surely take longer, not by chance."""
    return min(*before, *after) > 0 and gain_of(logs_of(before, after)).high < 0


def stall(cost: Cost) -> float:
    """The part of a run for which it waited for a core."""
    return cost.coreless / cost.wall if cost.wall > 0 else 0.0
