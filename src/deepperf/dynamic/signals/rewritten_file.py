"""A file that grows is written anew, all of it, in one step after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_within, told_at
from deepperf.dynamic.program.reading import lines_of_reading
from deepperf.dynamic.recording.opened_files import REWRITTEN
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "rewritten-file"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST = 12
"""Times that a file is written anew: fewer are epochs or trials."""
GROWING = 0.75
"""Part of these times at which it was larger than before: it is added to, and nothing else."""
EVERY = 0.1
"""Part of the steps in which it is written from which on it belongs to them; what is written less
often, or where there are no steps, is to take a part of the run that is felt."""
FELT = 0.01
LARGER = 2.0
"""How many times larger it became, so that most of what is written was there already."""


def watch(_tape: Tape) -> None:
    """Nothing: which files are opened is noted for several signals."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that open such files."""
    for seen in trace.observations:
        if seen.kind == REWRITTEN:
            for entry in seen.detail.get("files", {}).values():
                if _grows(entry):
                    yield from _diagnosed(trace, seen, entry)


def _grows(entry: Any) -> bool:
    return bool(
        entry["count"] >= FEWEST
        and entry["grown"] >= GROWING * (entry["count"] - 1)
        and entry["size"] >= LARGER * max(1, entry["first"])
    )


def _diagnosed(trace: Trace, seen: Observation, entry: Any) -> Iterator[Diagnosis]:
    lines = lines_of_reading(seen.file, seen.line)
    share = share_within(trace, seen.file, range(min(lines), max(lines) + 1))
    steps = max(trace.steps.values(), default=0)
    if share < FELT and not (steps and entry["steps"] >= EVERY * steps):
        return
    each = entry["steps"] >= steps / 2 if steps else False
    when = "in each step" if each else "again and again"
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{entry['name']}` is written {when} from its beginning, and grows",
        evidence=(
            f"{entry['count'] + 1:,} times, from {entry['first'] / 1e6:,.2f} to "
            f"{entry['size'] / 1e6:,.2f} MB: what it holds already is made and written again"
        ),
        remedy="append what is new, such as one line of JSON for each step, or write it once, at "
        "the end",
        weight=Weight.TIME if share >= FLOOR else Weight.HINT,
        share=share if share >= FLOOR else 0.0,
    )
