"""A list or dict of arrays grows with the steps, and the memory of the run with it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import LARGE, Diagnosis, Weight, is_much
from deepperf.dynamic.frameworks.requests import REQUESTS
from deepperf.dynamic.program.additions import addition_to
from deepperf.dynamic.recording.clock import resident_bytes
from deepperf.dynamic.recording.cost import Purse
from deepperf.dynamic.recording.holdings import (
    OF,
    Holding,
    containers_of,
    graphs_in,
    holding_of,
    plain_in,
)
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import autograd_history

NAME = "memory-growth"
BY_LOOKS = True
KEPT_HISTORY = "kept-history"
RULES = ("kept-results", KEPT_HISTORY)
EXPLAINS_GROWTH = True
FIRST_LOOK = 4
"""Looks of the sampler before the first at what containers hold."""
GROWTH_OF_LOOKS = 1.3
"""How many times as many looks come before the next, at first."""
MOST_BETWEEN = 100
"""Looks of the sampler between two, some eight seconds: what an epoch gathers is soon gone. What
they may cost in all is bounded."""
GREW = 16_000_000
"""Bytes by which the process grew since a look from which on the next one comes at once: what is
gathered in a short evaluation would be gone."""
FIRST_SECONDS = 0.02
"""What the first looks into containers may cost, of which windows would leave nothing."""
WORTH_KEEPING = 1_000_000
"""Bytes from which on a container is followed: most never hold as much."""
MOST_POINTS = 60
FEWEST_POINTS = 4
"""Looks at a container: three of them could be three parts of what it is filled with once."""
FEWEST_STEPS = 20
IN_LAST_THIRD = 0.15
"""Part of the growth that comes in the last third of the steps: what fills up stops before."""
IN_MEMORY = 0.5
"""Part of the growth by which the memory of the process grew as well: else it was there before."""

OF_DATA = (
    "; where it is the data to train on, load each sample when it is asked for, or keep it in a "
    "smaller dtype"
)

Point = Sequence[Any]
"""Steps, arrays, their bytes, the memory of the process, and seconds since the run began."""


def watch(tape: Tape) -> None:
    """Look now and then at what the program's containers hold."""
    purse = Purse(tape.budget, FIRST_SECONDS)
    tape.now_and_then(NAME, _Watch(tape, purse).look)
    others = _Watch(tape, purse)

    def look(frame: FrameType, _passed: float, _worked: float) -> None:
        # Most threads wait for work in code of a library.
        if tape.code.place(frame) is not None:
            others.look(frame)

    tape.at_threads(NAME, look)


class _Watch:
    """Runs in the sampler's thread."""

    def __init__(self, tape: Tape, purse: Purse) -> None:
        self._tape = tape
        self._looks = 0
        self._next = float(FIRST_LOOK)
        self._purse = purse
        self._held = 0

    def look(self, frame: FrameType) -> None:
        self._looks += 1
        if self._looks < self._next and not self._has_grown():
            return
        self._next = min(self._looks * GROWTH_OF_LOOKS, self._looks + MOST_BETWEEN)
        if not self._purse.is_left():
            return
        begin = time.thread_time()
        self._look_into(frame)
        self._purse.charge(time.thread_time() - begin)

    def _has_grown(self) -> bool:
        return self._looks > FIRST_LOOK and resident_bytes() >= self._held + GREW

    def _look_into(self, frame: FrameType) -> None:
        tape = self._tape
        ticks, held = tape.ticks, resident_bytes()
        self._held = max(held, self._held)
        for named in containers_of(tape.code, frame):
            size = holding_of(tape.code, named.value)
            graphs = graphs_in(named.value)
            is_plain = size.size < WORTH_KEEPING and not graphs
            if is_plain and len(named.value) >= FEWEST_STEPS:
                size = plain_in(named.value)
            if size.size < WORTH_KEEPING and not graphs:
                continue
            # A local name is one of its function, whichever line that is at.
            place = Place(named.file, 0, f"{named.function} {named.name}")
            tape.note(NAME, place)
            detail = tape.detail(NAME, place)
            detail["line"] = named.line
            detail["home"] = named.home
            detail["plain"] = is_plain
            detail["most"] = getattr(named.value, "maxlen", None)
            points = detail.setdefault("points", [])
            if graphs:
                size = Holding(graphs, 0)
                detail["graphs"] = graphs
            points.append([ticks, size.arrays, size.size, held, round(tape.seconds, 2)])
            if len(points) > MOST_POINTS:
                del points[1::2]


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The containers that grow on and on."""
    peak = trace.peak
    requests = sum(seen.count for seen in trace.observations if seen.kind == REQUESTS)
    told = {(one.file, one.line) for one in autograd_history.diagnose(trace)}
    for seen in trace.observations:
        if seen.kind != NAME or not peak:
            continue
        if "graphs" in seen.detail:
            # What steps can see is told by what looks at them.
            found = _of_graphs(seen, peak)
            yield from (one for one in found if (one.file, one.line) not in told)
            continue
        points = _since_emptied(seen.detail["points"])
        size = points[-1][2]
        # A program may be there to gather texts: one that trains, or answers requests, is not.
        is_asked = requests >= FEWEST_STEPS or points[-1][0] > points[0][0]
        if seen.detail.get("plain") and not is_asked:
            continue
        if size >= LARGE and _grows(points):
            weight = Weight.MEMORY if is_much(size, peak) else Weight.HINT
            yield from _diagnosis(seen, points, weight, min(1.0, size / peak))


def _of_graphs(seen: Observation, peak: int) -> Iterable[Diagnosis]:
    """Tensors that keep how they were computed: what such a graph holds cannot be measured, but by
    what the process holds. While optimizers step, a list of one function may be there for a step;
    the attribute of an object that only grows is not."""
    points = seen.detail["points"]
    first, last = points[0], points[-1]
    counts = [point[1] for point in points]
    is_longer = counts == sorted(counts) and last[1] - first[1] >= FEWEST_STEPS
    growth = last[3] - first[3]
    function, _, name = seen.function.partition(" ")
    where = _added_to(seen, function, name)
    is_trained = last[0] > first[0]
    if len(points) < FEWEST_POINTS or not is_longer or where is None:
        return
    if is_trained and "." not in name:
        return
    if is_much(growth, peak):
        yield Diagnosis(
            signal=NAME,
            cause="graph-confusion",
            file=where[0],
            line=where[1],
            function=function or "<module>",
            message=f"`{name}` keeps tensors with the graphs that they were computed by",
            evidence=f"{first[1]:,} of them became {last[1]:,}; the process grew by "
            f"{growth / 1e6:,.0f} MB meanwhile",
            remedy="keep `.detach()` of each, compute under `torch.inference_mode()`, and bound "
            "how many are kept",
            weight=Weight.MEMORY,
            share=min(1.0, growth / peak),
            rule=KEPT_HISTORY,
        )


def _since_emptied(points: Sequence[Point]) -> Sequence[Point]:
    """The points since the container last held less than before."""
    begin = 0
    for number in range(1, len(points)):
        if points[number][2] < points[number - 1][2]:
            begin = number
    return points[begin:]


def _grows(points: Sequence[Point]) -> bool:
    if len(points) < FEWEST_POINTS:
        return False
    first, last = points[0], points[-1]
    growth = last[2] - first[2]
    # What is gathered without a step of training, as in an evaluation, is counted by itself.
    by = 0 if last[0] > first[0] else 1
    steps = last[by] - first[by]
    if steps < FEWEST_STEPS or growth <= 0 or last[3] - first[3] < IN_MEMORY * growth:
        return False
    # The step from which on the last third is counted lies between two looks at most.
    before = [point for point in points if point[by] <= first[by] + steps * 2 / 3]
    late = last[2] - before[-1][2]
    # A cache that was full between two looks adds nothing between the last ones.
    another = next(point for point in reversed(points) if point[by] < last[by])
    share = (last[by] - another[by]) / steps
    still = last[2] - another[2] >= IN_LAST_THIRD * share * growth
    return bool(late >= IN_LAST_THIRD * growth and still)


def _diagnosis(
    seen: Observation, points: Sequence[Point], weight: Weight, share: float
) -> Iterable[Diagnosis]:
    function, _, name = seen.function.partition(" ")
    first, last = points[0], points[-1]
    where = _added_to(seen, function, name)
    if where is None:
        return
    steps = last[0] - first[0]
    meanwhile = f"in {steps:,} steps" if steps else "without a step of training between"
    is_plain = bool(seen.detail.get("plain"))
    what, turn = ("objects", "request") if is_plain else ("arrays", "iteration")
    if is_plain and not steps:
        meanwhile = "while requests were answered"
    yield Diagnosis(
        signal=NAME,
        cause="inefficient-api-usage",
        file=where[0],
        line=where[1],
        function=function or "<module>",
        message=f"`{name}` holds more {what} after every {'step' if steps else turn}",
        evidence=(
            f"{first[1]:,} {what} of {first[2] / 1e6:,.0f} MB became {last[1]:,} of "
            f"{last[2] / 1e6:,.0f} MB {meanwhile}; the process grew by "
            f"{(last[3] - first[3]) / 1e6:,.0f} MB"
        ),
        remedy=_remedy(seen, name) + ("" if steps or is_plain or OF in name else OF_DATA),
        weight=weight,
        share=share,
        rule="" if OF in name or is_plain else RULES[0],
    )


def _added_to(seen: Observation, function: str, name: str) -> tuple[str, int] | None:
    """The line that adds to a container; for one of a library, that which called it."""
    line = seen.detail["line"]
    if OF in name:
        return seen.file, line
    for file in dict.fromkeys((seen.detail["home"], seen.file)):
        found = addition_to(file, function, name, line if file == seen.file else 0)
        if found is not None:
            return file, found
    return None


def _remedy(seen: Observation, name: str) -> str:
    if OF in name:
        return (
            "keep only what the metrics need of each batch: `preprocess_logits_for_metrics` of a "
            "`Trainer`, metrics that are updated batch by batch elsewhere"
        )
    if seen.detail["most"]:
        return (
            f"it stops at {seen.detail['most']:,} elements: store them in a smaller dtype, and "
            "what two elements share, such as an observation and the next one, once"
        )
    return (
        "keep only what you need of each, a number or a sum, clear it after each epoch, or write "
        "it to a file; give a cache or a buffer a maximum size"
    )
