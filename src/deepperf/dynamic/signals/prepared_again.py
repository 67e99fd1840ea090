"""Samples are prepared anew in each epoch, and come out the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.loader_waits import OTHER_WAITS, WAITS
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, listen
from deepperf.dynamic.program.loops import loops_at
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals.loader_wait import is_cheap

NAME = "prepared-again"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
LARGE_ROW = 32
"""Numbers of a row below which two may be the same by chance."""
OF_ROW = 1024
"""Numbers by which a row is told from others, bit by bit, spread over it."""
MOST_ROWS = 16384
MOST_OF_CALL = 4096
"""Rows of a call up to which they are looked at: more are all the data there is, or look alike."""
AT_ONCE = 256
"""Rows that are looked at together: what is picked of them is copied."""
FEWEST_KNOWN = 96
PART_KNOWN = 0.3
"""Part of the rows looked at that came before: of two epochs, of which two thirds were heard."""
FEWEST_TRIED = 400
"""Calls after which one whose rows never came again is looked at no more."""
MOST_KEPT = 10**9
"""Bytes of all samples up to which they are kept in the memory of any machine."""
MIX = 0x9E3779B97F4A7C15


def watch(tape: Tape) -> None:
    """Compare the rows that models are given with those that they were given before."""
    watched = _Watch()
    listen(tape, NAME, watched.look, lambda: watched.note(tape))


class _Line:
    __slots__ = ("calls", "known", "model", "row_bytes", "rows", "seen")

    def __init__(self, model: str) -> None:
        self.model = model
        self.seen: set[int] = set()
        self.calls = self.rows = self.known = self.row_bytes = 0


class _Watch:
    def __init__(self) -> None:
        self._lines: dict[tuple[Place, ...], _Line] = {}

    def look(self, call: ModuleCall) -> None:
        """Take note of the rows of a call."""
        line = self._lines.get(call.ways)
        if line is None:
            line = self._lines[call.ways] = _Line(type(call.module).__name__)
        line.calls += 1
        given = call.given
        if line.calls > FEWEST_TRIED and not line.known:
            return
        if given is None or given.dim() < 2 or given.numel() < LARGE_ROW * given.size(0):
            return
        if given.size(0) > MOST_OF_CALL:
            return
        for key in keys_of_rows(call, given):
            line.rows += 1
            line.known += key in line.seen
            if len(line.seen) < MOST_ROWS:
                line.seen.add(key)
        parts = _of_rows(call, given)
        line.row_bytes = sum(one.nbytes for one in parts) // max(1, given.size(0))

    def note(self, tape: Tape) -> None:
        """Put on the tape what is known so far."""
        for ways, line in list(self._lines.items()):
            if line.known >= FEWEST_KNOWN:
                tape.note(NAME, ways[0], count=0)
                told = tape.detail(NAME, ways[0]).setdefault("by", {})
                told["/".join(f"{way.file}:{way.line}" for way in ways)] = {
                    "ways": [[way.file, way.line] for way in ways],
                    "rows": line.rows,
                    "known": line.known,
                    "model": line.model,
                    "row_bytes": line.row_bytes,
                }


def keys_of_rows(call: ModuleCall, given: Any) -> Iterator[int]:
    """What tells the rows of a call from each other, in every process alike."""
    hashed = [_hashed(call.torch, one) for one in _of_rows(call, given)]
    for row in zip(*(one for one in hashed if one is not None), strict=True):
        yield hash(row)


def _of_rows(call: ModuleCall, given: Any) -> list[Any]:
    """What was given that has as many rows: what belongs to a sample may be in several tensors."""
    whole = [one for one in (*call.arguments, *call.named.values()) if call.is_tensor(one)]
    return [one for one in whole if one.dim() and one.size(0) == given.size(0)] or [given]


def _hashed(torch: Any, value: Any) -> list[int] | None:
    """A number for each row, by the bits that are looked at; None where they are not at hand."""
    if value.device.type != "cpu" or not value.is_contiguous() or not value.numel():
        return None
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    held = value.detach()
    held = torch.view_as_real(held) if held.is_complex() else held
    flat = held.view(value.size(0), -1)
    if flat.is_floating_point():
        flat = flat.view(kinds[flat.element_size()])
    picked = flat[:, :: max(1, flat.size(1) // OF_ROW)]
    mixed = (torch.arange(1, picked.size(1) + 1, device="cpu") * (MIX >> 1)) | 1
    return [
        int(number)
        for rows in picked.split(AT_ONCE)
        for number in (rows.long() * mixed).sum(1).tolist()
    ]


class _Found(NamedTuple):
    """What one loader prepared again for one model."""

    waits: Observation
    told: Any
    share: float


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The datasets whose samples could have been kept, each with what all its loaders cost."""
    found: dict[str, list[_Found]] = {}
    for one in _found(trace):
        detail = one.waits.detail
        found.setdefault(str(detail.get("code") or detail["dataset"]), []).append(one)
    for of_one in found.values():
        share = min(1.0, sum(one.share for one in of_one))
        if share >= FLOOR:
            yield _diagnosis(trace, of_one, share)


def _found(trace: Trace) -> Iterator[_Found]:
    waits = [one for one in trace.observations if one.kind in (WAITS, OTHER_WAITS)]
    for seen in trace.observations:
        for told in seen.detail.get("by", {}).values() if seen.kind == NAME else ():
            part = told["known"] / told["rows"]
            loader = next((one for one in waits if _feeds(one, told["ways"])), None)
            if loader is None or part < PART_KNOWN or "waited" not in loader.detail:
                continue
            if not is_cheap(loader.detail):
                share = share_of_seconds(trace, part * loader.detail["waited"])
                waits.remove(loader)
                yield _Found(loader, told, share)


def _feeds(waits: Observation, ways: list[tuple[str, int]]) -> bool:
    """Whether a call is made in the loop over a loader."""
    lines = (line for file, line in ways if file == waits.file)
    return any(first == waits.line for line in lines for first, _ in loops_at(waits.file, line))


def _diagnosis(trace: Trace, found: list[_Found], share: float) -> Diagnosis:
    most = max(found, key=lambda one: one.share)
    detail = most.waits.detail
    rows = sum(one.told["rows"] for one in found)
    known = sum(one.told["known"] for one in found)
    size = detail.get("samples", 0) * most.told["row_bytes"]
    whole = f"; all {detail['samples']:,} hold {size / 1e6:,.1f} MB" if size else ""
    return told_at(
        _busiest(trace, most.waits),
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"samples of `{detail['dataset']}` are prepared again, and come out the same",
        evidence=(
            f"{known:,} of {rows:,} sampled rows were given to `{most.told['model']}` before, "
            f"the same in up to {OF_ROW:,} numbers of each{whole}"
        ),
        remedy=(
            "prepare each sample once and keep it, in memory or in a file; what changes it by "
            "chance belongs after that"
        ),
        weight=Weight.TIME if 0 < size <= MOST_KEPT else Weight.HINT,
        share=share,
    )


def _busiest(trace: Trace, waits: Observation) -> Place:
    """The line of the dataset's method at which most time goes; where it has none, the loop."""
    if "code" in waits.detail:
        file, first, last = waits.detail["code"]
        within = [s for s in trace.samples if s.file == file and first <= s.line <= last]
        busiest = max(within, key=lambda s: (s.total, -s.line), default=None)
        if busiest is not None:
            return Place(busiest.file, busiest.line, busiest.function)
    return Place(waits.file, waits.line, waits.function)
