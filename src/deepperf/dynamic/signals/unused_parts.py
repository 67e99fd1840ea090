"""A file is read whole, and few of its columns, or of its rows, are used."""

from __future__ import annotations

from collections.abc import Iterable

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.program.parts_used import Parts, parts_used
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals.repeated_read import COLUMNS, ROWS, TOOK
from deepperf.dynamic.signals.repeated_read import NAME as READ

NAME = "unused-parts"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEW = 0.5
"""Part of the columns or rows up to which it pays to read only these."""
MOST_NAMED = 4


def watch(tape: Tape) -> None:
    """What is read is noted by the signal of what is read again and again."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that read much more than is used of it."""
    for seen in trace.observations:
        took = seen.detail.get(TOOK, 0.0) if seen.kind == READ else 0.0
        parts = parts_used(seen.file, seen.line) if took else None
        if parts is None:
            continue
        number = len(parts.columns) or parts.rows
        whole = seen.detail.get(COLUMNS if parts.columns else ROWS, 0)
        if 0 < number <= FEW * whole:
            yield _diagnosis(trace, seen, parts, took * (1 - number / whole))


def _diagnosis(trace: Trace, seen: Observation, parts: Parts, seconds: float) -> Diagnosis:
    if parts.columns:
        names = ", ".join(map(repr, parts.columns[:MOST_NAMED]))
        more = ", …" if len(parts.columns) > MOST_NAMED else ""
        message = f"all columns of a file are read, and {len(parts.columns):,} of them are used"
        what = f"of {seen.detail[COLUMNS]:,} columns"
        remedy = (
            f"read those alone: `usecols=[{names}{more}]` of `read_csv`, `columns=` of "
            "`read_parquet`, which does not even touch the others"
        )
    else:
        message = f"an array is read whole, and {parts.rows:,} of its rows are used"
        what = f"of {seen.detail[ROWS]:,} rows"
        remedy = (
            '`np.load(..., mmap_mode="r")` reads what is asked for; it works for `.npy`, not for '
            "compressed files"
        )
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=message,
        evidence=f"{seen.count:,} reads took {seen.detail[TOOK]:.2f} s, {what}",
        remedy=remedy,
        share=share_of_seconds(trace, seconds),
    )
