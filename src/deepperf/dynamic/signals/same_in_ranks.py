"""Each rank of a training evaluates the same samples, instead of its part of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence

from deepperf.dynamic.diagnosis import Diagnosis, share_within, told_at
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, listen
from deepperf.dynamic.program.loops import loop_around
from deepperf.dynamic.recording.identity import rank_of_process
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals.prepared_again import LARGE_ROW, MOST_OF_CALL, keys_of_rows

NAME = "same-in-ranks"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
SHARED = (NAME,)
RANKS = "WORLD_SIZE"
"""Where launchers tell each rank how many there are."""
MOST_ROWS = 2048
"""Rows of a line that are kept to be compared."""
FEWEST = 16
"""Rows that several ranks must have met."""
BATCHES = 2
"""How many batches they must be: parts of different lengths are filled up with a batch of what
another rank has."""


def watch(tape: Tape) -> None:
    """Keep what tells rows from each other of those that are evaluated, where there are ranks."""
    if os.environ.get(RANKS, "1") != "1":
        watched = _Watch(tape)
        listen(tape, NAME, watched.look, watched.note)


class _Line:
    __slots__ = ("rows", "widest")

    def __init__(self) -> None:
        self.rows: set[int] = set()
        self.widest = 0


class _Watch:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._lines: dict[Place, _Line] = {}

    def look(self, call: ModuleCall) -> None:
        """Take note of the rows of a call that trains nothing."""
        given = None if call.trains else call.given
        if given is None or given.dim() < 2 or given.size(0) > MOST_OF_CALL:
            return
        line = self._lines.setdefault(call.place, _Line())
        if len(line.rows) < MOST_ROWS and given.numel() >= LARGE_ROW * given.size(0):
            line.rows.update(keys_of_rows(call, given))
            line.widest = max(line.widest, given.size(0))

    def note(self) -> None:
        """Put on the tape what is known so far."""
        ranked = rank_of_process()
        if ranked is None:
            return
        for place, line in list(self._lines.items()):
            self._tape.note(NAME, place, count=0)
            detail = self._tape.detail(NAME, place)
            detail.update(rank=ranked[0], rows=sorted(line.rows)[:MOST_ROWS], widest=line.widest)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines at which several ranks have met the same rows."""
    by_line: dict[tuple[str, int], dict[int, Observation]] = {}
    for seen in trace.observations:
        if seen.kind == NAME and "rank" in seen.detail:
            by_line.setdefault((seen.file, seen.line), {})[seen.detail["rank"]] = seen
    for ranks in by_line.values():
        if len(ranks) > 1:
            yield from _of_line(trace, [*ranks.values()])


def _of_line(trace: Trace, ranks: Sequence[Observation]) -> Iterable[Diagnosis]:
    met = Counter(row for seen in ranks for row in seen.detail["rows"])
    common = sum(1 for count in met.values() if count > 1)
    if common < max(FEWEST, BATCHES * max(seen.detail["widest"] for seen in ranks)):
        return
    first = ranks[0]
    around = loop_around(first.file, first.line) or (first.line, first.line)
    whole = share_within(trace, first.file, range(around[0], around[1] + 1))
    yield told_at(
        first,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"each of {len(ranks):,} ranks evaluates the same samples",
        evidence=f"{common:,} of {len(met):,} sampled rows came to more than one of them",
        remedy=(
            "give each its part: `DistributedSampler(data, shuffle=False)` for this loader, and "
            "`all_reduce` the sums that the metrics are made of"
        ),
        share=whole * (1 - 1 / len(ranks)),
    )
