"""How long the loops of a program wait for PyTorch's `DataLoader`, and for its workers to start."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType
from typing import Any

from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

WAITS = "loader-wait"
"""What is noted of the line that asks for batches: seconds waited, worked and turned, and how many
batches; what the loader is made of."""
OTHER_WAITS = f"{WAITS} other"
"""The same of loaders with another number of workers at the same line."""
STARTS = f"{WAITS} starts"
"""What is noted of the line that starts workers."""
STATE = "_deepperf_waits"
TIMED_BATCHES = 32
"""Batches of a line of which the processor's time is kept."""


def time_loaders(tape: Tape) -> None:
    """Note of each line how long it waits for its batches."""
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
            detail["first"] += 1
            if not self.workers:
                detail["collated"] = 0.0
        else:
            detail["waited"] += end - begin
            if worked:
                detail["worked"].append(worked)
            detail["turned"] += end - (self.last or begin)
            detail["batches"] += 1
        self.last = end

    def ended(self, begin: float, end: float) -> None:
        """There is no further batch: workers have been seen off, and the loop goes on."""
        if self.workers:
            self.detail["started"] += end - begin


def _watch(tape: Tape, module: ModuleType) -> None:
    base: Any = module._BaseDataLoaderIter
    loader: Any = module.DataLoader
    following, begin_again = base.__next__, loader.__iter__
    served: set[tuple[Any, int]] = set()
    main = threading.get_ident()

    @standing_for(following)
    def timed(self: Any) -> Any:
        if not tape.active or threading.get_ident() != main:
            return following(self)
        waits = self.__dict__.get(STATE)
        if waits is None:
            frame = sys._getframe(1)
            waits = tape.guarded(WAITS, lambda: _begin(tape, self, frame))
            if waits is None:
                return following(self)
        # To read the processor's time takes longer than all the rest.
        is_timed = len(waits.detail["worked"]) < TIMED_BATCHES
        working = time.thread_time() if is_timed else 0.0
        begin = time.perf_counter()
        try:
            batch = following(self)
        except StopIteration:
            waits.ended(begin, time.perf_counter())
            raise
        end = time.perf_counter()
        waits.add(begin, end, time.thread_time() - working if is_timed else 0.0)
        return batch

    @standing_for(begin_again)
    def started(self: Any) -> Any:
        if not tape.active or not self.num_workers or threading.get_ident() != main:
            return begin_again(self)
        place = tape.code.place(sys._getframe(1))
        before = self._iterator
        begin = time.perf_counter()
        iterator = begin_again(self)
        seconds = time.perf_counter() - begin
        if iterator is before:
            _forget(iterator)
        elif place is not None:
            tape.note(STARTS, place, seconds=seconds)
            detail = tape.detail(STARTS, place)
            detail["keeps"] = bool(self.persistent_workers)
            data = place, id(getattr(self, "dataset", None))
            detail["again"] = detail.get("again", 0) + (data in served)
            served.add(data)
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
    described = _described(tape, iterator)
    kind = _kind_of(tape, place, described)
    detail = tape.detail(kind, place)
    is_first = "waited" not in detail
    if is_first:
        detail.update(waited=0.0, worked=[], turned=0.0, started=0.0, batches=0, collated=0.0)
        detail["first"] = 0
        # Once: whatever the program does when it is asked, it would do for each loop.
        detail.update(described, samples=_count_of(iterator._dataset))
        tape.note(kind, place, count=0)
    fetcher = getattr(iterator, "_dataset_fetcher", None)
    if fetcher is not None:
        fetcher.collate_fn = _timed_collate(fetcher.collate_fn, detail)
    waits = _Waits(detail, iterator._num_workers)
    # PyTorch sets things up when it is first asked to pick and to stack.
    waits.fresh = waits.fresh or int(is_first)
    setattr(iterator, STATE, waits)
    return waits


def _kind_of(tape: Tape, place: Place, described: dict[str, Any]) -> str:
    """What the waits for such a loader are noted under at a line: one that calls a trainer has
    batches of several, as for training and for evaluation."""
    workers = tape.detail(WAITS, place).get("workers", described["workers"])
    return WAITS if workers == described["workers"] else OTHER_WAITS


def _timed_collate(collate: Callable[[Any], Any], detail: dict[str, Any]) -> Callable[[Any], Any]:
    def timed(samples: Any) -> Any:
        begin = time.perf_counter()
        try:
            return collate(samples)
        finally:
            detail["collated"] += time.perf_counter() - begin
            if detail["is_sized_by_sampler"] and isinstance(samples, list):
                detail["size"] = max(detail["size"], len(samples))

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
        # A batch sampler of the program's own need not say how large its batches are.
        "is_sized_by_sampler": iterator._auto_collation and not isinstance(size, int),
        "dataset": cls.__name__,
        "collate": _name_of(iterator._collate_fn),
    }
    for name in ("__getitems__", "__getitem__", "__iter__"):
        code = _code_of(cls, name)
        if code is not None and tape.code.path_of(code.co_filename):
            lines = [line for _, _, line in code.co_lines() if line]
            said["code"] = [tape.code.path_of(code.co_filename), min(lines), max(lines)]
            said["method"] = name
            break
    return said


def _count_of(dataset: Any) -> int:
    """How many samples a dataset holds that is asked for one by its number; 0 for any other."""
    with contextlib.suppress(Exception):
        return len(dataset) if hasattr(dataset, "__getitem__") else 0
    return 0


def _name_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _file_of(cls: type) -> str:
    return str(getattr(sys.modules.get(cls.__module__), "__file__", None) or "<unknown>")


def _code_of(cls: type, name: str) -> CodeType | None:
    return getattr(getattr(cls, name, None), "__code__", None)
