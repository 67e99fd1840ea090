"""A loop waits for its PyTorch `DataLoader`, or starts the loader's workers again and again."""

from __future__ import annotations

import functools
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable
from types import CodeType, FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "loader-wait"
RULES = ()
STARTS = f"{NAME} starts"
STATE = "_deepperf_waits"
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
TIMED_BATCHES = 32
"""Batches of a line of which the processor's time is kept."""
LONG_BATCH = 5e-3
"""Seconds of the processor for a batch from which on picking its samples one by one is felt."""
COLLATING = 0.5
"""Part of the waiting from which on joining the samples is what is slow."""
BUSY = 0.1
"""Part of the run in which others had all cores from which on workers are late for want of one:
on a machine to itself they may well keep up."""
FEWEST_STARTS = 4
"""Times that workers are started from one line: for training, for evaluation, and once more."""
STARTING = 0.1
"""Part of the time of loop and start that starting takes, for it to matter."""


def watch(tape: Tape) -> None:
    """Time how long each loop waits for its batches."""
    tape.imports.after("torch.utils.data.dataloader", functools.partial(_watch, tape))


class _Waits:
    """What one iterator adds to its line; `detail` is the line's own, shared by its iterators."""

    __slots__ = ("detail", "fresh", "last", "workers")

    def __init__(self, detail: dict[str, Any], workers: int) -> None:
        self.detail = detail
        self.workers = workers
        self.begin_again()

    def begin_again(self) -> None:
        # The first batch of each worker takes as long as that one needs to start.
        self.fresh = self.workers
        self.last = 0.0

    def add(self, begin: float, end: float, worked: float) -> None:
        detail = self.detail
        if self.fresh:
            self.fresh -= 1
            detail["started"] += end - begin
            if not self.workers:
                detail["collated"] = 0.0
        else:
            detail["waited"] += end - begin
            if worked and len(detail["worked"]) < TIMED_BATCHES:
                detail["worked"].append(worked)
            detail["turned"] += end - (self.last or begin)
            detail["batches"] += 1
        self.last = end


def _watch(tape: Tape, module: ModuleType) -> None:
    base: Any = module._BaseDataLoaderIter
    loader: Any = module.DataLoader
    following, begin_again = base.__next__, loader.__iter__
    main = threading.get_ident()

    @functools.wraps(following)
    def timed(self: Any) -> Any:
        if not tape.active or threading.get_ident() != main:
            return following(self)
        waits = self.__dict__.get(STATE)
        if waits is None:
            frame = sys._getframe(1)
            waits = tape.guarded(NAME, lambda: _begin(tape, self, frame))
            if waits is None:
                return following(self)
        worked = 0.0
        begin, working = time.perf_counter(), time.thread_time()
        try:
            batch = following(self)
            worked = time.thread_time() - working
            return batch
        finally:
            waits.add(begin, time.perf_counter(), worked)

    @functools.wraps(begin_again)
    def started(self: Any) -> Any:
        if not tape.active or not self.num_workers or threading.get_ident() != main:
            return begin_again(self)
        place = tape.code.place(sys._getframe(1))
        begin = time.perf_counter()
        iterator = begin_again(self)
        seconds = time.perf_counter() - begin
        if self.persistent_workers:
            _forget(iterator)
        elif place is not None:
            tape.note(STARTS, place, seconds=seconds)
        return iterator

    base.__next__ = timed
    loader.__iter__ = started


def _forget(iterator: Any) -> None:
    """Persistent workers keep their iterator, which then serves another loop."""
    waits = getattr(iterator, "__dict__", {}).get(STATE)
    if waits is not None:
        waits.begin_again()


def _begin(tape: Tape, iterator: Any, frame: FrameType | None) -> _Waits | None:
    place = tape.code.place(frame)
    if place is None:
        return None
    detail = tape.detail(NAME, place)
    is_first = "waited" not in detail
    if is_first:
        detail.update(waited=0.0, worked=[], turned=0.0, started=0.0, batches=0, collated=0.0)
        detail.update(_described(tape, iterator))
        tape.note(NAME, place, count=0)
    fetcher = getattr(iterator, "_dataset_fetcher", None)
    if fetcher is not None:
        fetcher.collate_fn = _timed_collate(fetcher.collate_fn, detail)
    waits = _Waits(detail, iterator._num_workers)
    # PyTorch sets things up when it is first asked to pick and to stack.
    waits.fresh = waits.fresh or int(is_first)
    setattr(iterator, STATE, waits)
    return waits


def _timed_collate(collate: Callable[[Any], Any], detail: dict[str, Any]) -> Callable[[Any], Any]:
    def timed(samples: Any) -> Any:
        begin = time.perf_counter()
        try:
            return collate(samples)
        finally:
            detail["collated"] += time.perf_counter() - begin

    return timed


def _described(tape: Tape, iterator: Any) -> dict[str, Any]:
    dataset = iterator._dataset
    # `Subset`, `ConcatDataset` and kin hand on what they are asked.
    for _ in range(4):
        inner = getattr(dataset, "dataset", None) or next(iter(getattr(dataset, "datasets", ())), 0)
        if tape.code.path_of(_file_of(type(dataset))) or not inner:
            break
        dataset = inner
    cls = type(dataset)
    size = getattr(iterator._index_sampler, "batch_size", None)
    said: dict[str, Any] = {
        "workers": iterator._num_workers,
        "size": size if isinstance(size, int) else 1,
        "dataset": cls.__name__,
        "collate": getattr(iterator._collate_fn, "__name__", type(iterator._collate_fn).__name__),
    }
    for name in ("__getitems__", "__getitem__", "__iter__"):
        code = _code_of(cls, name)
        if code is not None and tape.code.path_of(code.co_filename):
            lines = [line for _, _, line in code.co_lines() if line]
            said["code"] = [tape.code.path_of(code.co_filename), min(lines), max(lines)]
            said["method"] = name
            break
    return said


def _file_of(cls: type) -> str:
    return str(getattr(sys.modules.get(cls.__module__), "__file__", None) or "<unknown>")


def _code_of(cls: type, name: str) -> CodeType | None:
    return getattr(getattr(cls, name, None), "__code__", None)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops that wait, and those that start workers again and again."""
    starts = {(o.file, o.line): o for o in trace.observations if o.kind == STARTS}
    for seen in trace.observations:
        if seen.kind != NAME or not seen.detail.get("turned"):
            continue
        began = starts.pop((seen.file, seen.line), None)
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
    if not workers and _is_cheap(detail):
        is_sure = waited >= MUCH * turned and _typical(detail) >= LONG_BATCH
        cause = "missed-batch-api"
        remedy = (
            "pick whole batches from the arrays in memory: `DataLoader(dataset, "
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
        message="the loop waits for its `DataLoader`",
        evidence=(
            f"{waited:.2f} s of the {turned:.2f} s of {batches:,} turns ({waited / turned:.0%}) "
            f"went to waiting, with {workers} workers and batches of {detail['size']:,}"
            f"{_slowest(trace, detail)}"
        ),
        remedy=remedy,
        weight=Weight.TIME if is_sure else Weight.HINT,
        share=share,
    )


def _typical(detail: Any) -> float:
    """Seconds of the processor for a batch: whatever comes in between, and the last and shorter
    batch of an epoch, change a mean, and no median."""
    return float(statistics.median(detail["worked"])) if detail["worked"] else 0.0


def _is_cheap(detail: Any) -> bool:
    """Whether samples are only picked from memory."""
    samples = detail["batches"] * detail["size"]
    is_read = "code" in detail and detail["waited"] - detail["collated"] > READ_ITEM * samples
    return bool(_typical(detail) <= CHEAP_ITEM * detail["size"] and not is_read)


def _remedy(workers: int, cores: int) -> str:
    if workers + 1 >= cores:
        return (
            "make the samples cheaper: do once, before training, what is the same for each epoch, "
            "and the rest on whole batches"
        )
    if workers:
        return "give the `DataLoader` more workers, or make the samples cheaper"
    return (
        "let workers prepare the batches meanwhile: `DataLoader(..., num_workers=2, "
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
    batches = detail.get("batches", 0) + began.count
    whole = seconds + detail.get("turned", 0.0)
    if began.count < FEWEST_STARTS or seconds < STARTING * whole:
        return
    is_single = batches <= 2 * began.count
    yield told_at(
        began,
        signal=NAME,
        cause="inefficient-api-usage",
        message=(
            "a `DataLoader` is begun anew for each batch"
            if is_single
            else "the workers of a `DataLoader` are started again for each epoch"
        ),
        evidence=f"{began.count:,} starts and the batches after them took {seconds:.2f} s",
        remedy=(
            "make one iterator of it, and take batches from that"
            if is_single
            else "keep them: `DataLoader(..., persistent_workers=True)`"
        ),
        share=share_of_seconds(trace, seconds),
    )
