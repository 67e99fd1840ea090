"""A read of an HDF5 dataset unpacks whole chunks, of which it uses a small part."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "chunked-read"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution", "abnormal-gpu-utilization")
MADE = f"{NAME} made"
"""What is noted of the line that makes a dataset: its chunks."""
FEWEST_READS = 30
UNUSED = 4.0
"""How many times as much a chunk holds as is read of it, from which on it is too large."""


def watch(tape: Tape) -> None:
    """Time the reads of datasets, and learn where datasets are made."""
    tape.imports.after("h5py._hl.dataset", lambda module: _watch_reads(tape, module))
    tape.imports.after("h5py._hl.group", lambda module: _watch_making(tape, module))


def _watch_reads(tape: Tape, module: Any) -> None:
    cls: Any = module.Dataset
    read = cls.__getitem__

    @standing_for(read)
    def timed(self: Any, *arguments: Any, **named: Any) -> Any:
        begin = time.perf_counter()
        found = read(self, *arguments, **named)
        if tape.active:
            seconds = time.perf_counter() - begin
            place = tape.code.place(sys._getframe(1))
            if place is not None:
                tape.guarded(NAME, lambda: _note(tape, place, self, found, seconds))
        return found

    cls.__getitem__ = timed


def _note(tape: Tape, place: Place, dataset: Any, found: Any, seconds: float) -> None:
    size = int(getattr(found, "nbytes", 0))
    tape.note(NAME, place, seconds=seconds, size=size)
    sets = tape.detail(NAME, place).setdefault("sets", {})
    known = sets.get(dataset.name)
    if known is None:
        chunks = dataset.chunks
        known = sets[dataset.name] = {
            "file": dataset.file.filename,
            "chunks": list(chunks or ()),
            "bytes": _product(chunks or ()) * dataset.dtype.itemsize,
            "packed": dataset.compression or "",
            "count": 0,
            "read": 0,
            "seconds": 0.0,
        }
    known["count"] += 1
    known["read"] += size
    known["seconds"] += seconds


def _product(numbers: Iterable[int]) -> int:
    result = 1
    for number in numbers:
        result *= int(number)
    return result


def _watch_making(tape: Tape, module: ModuleType) -> None:
    cls: Any = module.Group
    make = cls.create_dataset

    @standing_for(make)
    def made(self: Any, *arguments: Any, **named: Any) -> Any:
        dataset = make(self, *arguments, **named)
        if tape.active:
            place = tape.code.place(sys._getframe(1))
            if place is not None:
                tape.note(MADE, place, detail={"file": dataset.file.filename, "name": dataset.name})
        return dataset

    cls.create_dataset = made


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The datasets whose chunks are far larger than what is read of them at once."""
    for seen in trace.observations:
        if seen.kind == NAME:
            for name, known in seen.detail["sets"].items():
                each = known["read"] / known["count"]
                is_large = each and known["chunks"] and known["bytes"] >= UNUSED * each
                if is_large and known["count"] >= FEWEST_READS:
                    yield _diagnosis(trace, seen, name, known, known["bytes"] / each)


def _diagnosis(
    trace: Trace, seen: Observation, name: str, known: Mapping[str, Any], times: float
) -> Diagnosis:
    """At the line that chose the chunks, if that ran, too."""
    made = [
        one
        for one in trace.observations
        if one.kind == MADE and (one.detail["file"], one.detail["name"]) == (known["file"], name)
    ]
    each = known["read"] / known["count"]
    reading = f"line {seen.line} reads" if made else "this reads"
    packed = f", packed by {known['packed']}" if known["packed"] else ""
    return told_at(
        made[0] if made else seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=(
            f"the chunks of {name} are {times:,.0f} times as large as what is read of them at once"
        ),
        evidence=(
            f"{reading} {each / 1e3:,.1f} kB {known['count']:,} times, of chunks "
            f"{tuple(known['chunks'])}, {known['bytes'] / 1e3:,.0f} kB{packed}: "
            f"{known['seconds']:.2f} s"
        ),
        remedy=(
            "choose chunks as large as what is read at once, `chunks=(1, ...)` for single samples; "
            "or read in the order in which they lie, or open the file with a larger `rdcc_nbytes`"
        ),
        share=share_of_seconds(trace, known["seconds"] * (1.0 - 1.0 / times)),
    )
