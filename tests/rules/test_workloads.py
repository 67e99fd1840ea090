"""Both sides of every pair run, and do the same, where their framework is installed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from _pytest.mark import ParameterSet

from deepperf.bench.collect import MEMORY, obstacle, plan_of
from deepperf.bench.launch import Start, starting
from deepperf.bench.measure import in_turn, require_same
from deepperf.records import Pair
from deepperf.rules.evidence import digest, read_evidence
from deepperf.rules.page import PageError, read_page
from deepperf.rules.registry import find_rules

ONE_IN = 8
"""Of how many pairs one is tried each time."""


def pairs() -> list[Pair]:
    found: list[Pair] = []
    for files in find_rules():
        try:
            found += read_page(files.page).pairs
        except PageError:
            continue  # tests/rules/test_pages.py says so
    return found


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """Processes that have a framework already, as for the problems: importing takes longest."""
    with starting() as start:
        yield start


def tried() -> list[ParameterSet]:
    """The pairs that can run here; those that a program has run since they changed run weekly.

    Whoever changes a pair measures it, which runs both sides: without that it is tried each time.
    Of the others some are tried each time, from all over the rules and frameworks.
    """
    # By framework, so that of several processes of pytest mostly one needs each.
    runnable = sorted((one for one in pairs() if not obstacle(one)), key=lambda one: one.framework)
    measured = {
        (entry.pair, entry.digest)
        for files in find_rules()
        for entry in read_evidence(files.evidence, files.name).measurements
    }
    return [
        pytest.param(pair, id=pair.id, marks=[pytest.mark.weekly] * is_weekly)
        for number, pair in enumerate(runnable)
        for is_weekly in [number % ONE_IN > 0 and (pair.id, digest(pair)) in measured]
    ]


@pytest.mark.parametrize("pair", tried())
def test_both_sides_run_and_give_the_same(pair: Pair, start: Start) -> None:
    plan = plan_of(pair)
    # A peak of memory is measured in one call, a time in as many as make it certain.
    once = replace(plan, quantity=plan.quantity if plan.counts else MEMORY, warm_ups=0)
    bad, good = in_turn(pair, once, 0, lambda: None, start)
    require_same(pair.id, bad, good, plan.tolerance)


@pytest.mark.parametrize("pair", [pair for pair in pairs() if pair.workload], ids=lambda p: p.id)
def test_the_workload_asks_for_what_there_is(pair: Pair) -> None:
    plan_of(pair)
