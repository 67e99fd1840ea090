"""A loop waits for its PyTorch `DataLoader`, or starts the loader's workers again and again."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.loader_waits import OTHER_WAITS, STARTS, WAITS, time_loaders
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = WAITS
RULES = ("loader-per-epoch", "serial-loader")
FEWEST_BATCHES = 10
"""Batches of a line: what fewer take says little of a longer run."""
WAITING = 0.1
"""Part of the turns' time below which waiting is no bottleneck: a loop that computes nine times as
long as it waits gains less than the noise of its steps."""
WORKER_WAITING = 0.25
"""The same where workers are at it already: some waiting remains whenever a step is short."""
WORTH_A_WORKER = 1e-3
"""Seconds that a batch must take for a worker to be worth it: handing a batch over from another
process takes some tenths of a millisecond itself."""
CHEAP_ITEM = 50e-6
"""Seconds of the processor up to which a sample is picked from memory, and nothing is decoded or
changed."""
READ_ITEM = 200e-6
"""Seconds by the clock from which on it may have been read from somewhere: on a busy machine even
what is picked from memory takes longer than the processor's time for it."""
MUCH = 0.3
"""Part of the turns' time from which on even samples picked from memory are worth a change."""
LONG_BATCH = 5e-3
"""Seconds of the processor for a batch from which on picking its samples one by one is felt."""
COLLATING = 0.5
"""Part of the waiting from which on joining the samples is what is slow."""
BUSY = 0.1
"""Part of the run in which others had all cores from which on workers are late for want of one:
on a machine to itself they may well keep up."""
FEWEST_STARTS = 4
"""Times that workers are started from one line: for training, for evaluation, and once more."""
FEWEST_AGAIN = 2
"""Times that they are started again for the same data."""
ABOUT_ONE = 1.5
"""Batches for each start up to which a loader is begun for one of them."""
STARTING = 0.1
"""Part of the time of loop and start that starting takes, for it to matter."""

EACH_BATCH = (
    "a new `DataLoader` iterator is created for each batch",
    "create one iterator, and take batches from it",
)
EACH_EPOCH = (
    "the `DataLoader` starts its workers again in every epoch",
    "keep them: `DataLoader(..., persistent_workers=True)`",
)
EACH_LOADER = (
    "a new `DataLoader` is created, and starts its workers, for every epoch or evaluation",
    "create the loader once, before the loop: `persistent_workers=True` keeps the workers of one",
)


def watch(tape: Tape) -> None:
    """Time how long each loop waits for its batches."""
    time_loaders(tape)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops that wait, and those that start workers again and again."""
    starts = {(o.file, o.line): o for o in trace.observations if o.kind == STARTS}
    for seen in trace.observations:
        if seen.kind not in (NAME, OTHER_WAITS) or not seen.detail.get("turned"):
            continue
        # Without workers none are started.
        where = (seen.file, seen.line)
        began = starts.pop(where, None) if seen.detail["workers"] else None
        if began is not None:
            yield from _of_starts(trace, began, seen.detail)
        if seen.detail["batches"] >= FEWEST_BATCHES:
            yield from _of_waiting(trace, seen)
    for began in starts.values():
        yield from _of_starts(trace, began, {})


def _of_waiting(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    detail = seen.detail
    waited, turned, batches = detail["waited"], detail["turned"], detail["batches"]
    workers, each = detail["workers"], waited / batches
    if waited < (WORKER_WAITING if workers else WAITING) * turned:
        return
    if not workers and is_cheap(detail):
        is_sure = waited >= MUCH * turned and _typical(detail) >= LONG_BATCH
        cause = "missed-batch-api"
        remedy = (
            "index whole batches in memory: `DataLoader(dataset, "
            "sampler=BatchSampler(...), batch_size=None)`, or `__getitems__`"
        )
    else:
        is_starved = bool(workers) and trace.coreless >= BUSY * trace.seconds
        is_sure = each >= WORTH_A_WORKER and not is_starved
        cause = "inefficient-data-preprocessing" if workers else "inefficient-data-transmission"
        remedy = _remedy(workers, int(trace.machine.get("cores", 1)))
    share = share_of_seconds(trace, waited)
    if not is_sure and share < FLOOR:
        return
    yield told_at(
        seen,
        signal=NAME,
        cause=cause,
        message="training waits for its `DataLoader`",
        evidence=(
            f"{waited:.2f} s of the {turned:.2f} s of {batches:,} steps ({waited / turned:.0%}) "
            f"went to waiting, with {workers} workers and batches of {detail['size']:,}"
            f"{_slowest(trace, detail)}"
        ),
        remedy=remedy,
        weight=Weight.TIME if is_sure else Weight.HINT,
        share=share,
        rule="" if workers else "serial-loader",
    )


def _typical(detail: Any) -> float:
    """Seconds of the processor for a batch: whatever comes in between, and the last and shorter
    batch of an epoch, change a mean, and no median."""
    return float(statistics.median(detail["worked"])) if detail["worked"] else 0.0


def is_cheap(detail: Any) -> bool:
    """Whether samples are only picked from memory."""
    samples = detail["batches"] * detail["size"]
    is_read = "code" in detail and detail["waited"] - detail["collated"] > READ_ITEM * samples
    return bool(_typical(detail) <= CHEAP_ITEM * detail["size"] and not is_read)


def _remedy(workers: int, cores: int) -> str:
    if workers + 1 >= cores:
        return (
            "make the samples cheaper: do once, before training, what is the same in every epoch, "
            "and the rest on whole batches"
        )
    if workers:
        return "give the `DataLoader` more workers, or make the samples cheaper"
    return (
        "let workers prepare batches in the background: `DataLoader(..., num_workers=2, "
        "persistent_workers=True)`, or more"
    )


def _slowest(trace: Trace, detail: Any) -> str:
    """Which stage takes the time, where that was seen."""
    if detail["workers"]:
        return ""
    part = detail["collated"] / detail["waited"] if detail["waited"] else 0.0
    if part >= COLLATING:
        return f"; `{detail['collate']}` takes {part:.0%} of it"
    if "code" not in detail:
        return f"; the samples of `{detail['dataset']}` take most of it"
    file, first, last = detail["code"]
    within = [s for s in trace.samples if s.file == file and first <= s.line <= last]
    busiest = max(within, key=lambda s: (s.total, -s.line), default=None)
    said = f"; `{detail['dataset']}.{detail['method']}` takes most of it"
    return said if busiest is None else f"{said}, at line {busiest.line}"


def _of_starts(trace: Trace, began: Observation, detail: Any) -> Iterable[Diagnosis]:
    seconds = began.seconds + detail.get("started", 0.0)
    batches = detail.get("batches", 0) + detail.get("first", 0)
    whole = seconds + detail.get("turned", 0.0)
    is_often = began.count >= FEWEST_STARTS or began.detail.get("again", 0) >= FEWEST_AGAIN
    if not is_often or seconds < STARTING * whole:
        return
    message, remedy = EACH_EPOCH
    if began.detail.get("keeps"):
        message, remedy = EACH_LOADER
    elif detail and batches <= ABOUT_ONE * began.count:
        message, remedy = EACH_BATCH
    yield told_at(
        began,
        signal=NAME,
        cause="inefficient-api-usage",
        message=message,
        evidence=f"{began.count:,} starts and the batches after them took {seconds:.2f} s",
        remedy=remedy,
        share=share_of_seconds(trace, seconds),
        rule="loader-per-epoch",
    )
