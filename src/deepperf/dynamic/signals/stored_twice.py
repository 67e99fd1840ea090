"""A memory of steps holds arrays twice: as what followed one step, and as what the next begins
with."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of_memory
from deepperf.dynamic.program.additions import addition_to
from deepperf.dynamic.recording.cost import Purse
from deepperf.dynamic.recording.frame_variables import user_frames, variables
from deepperf.dynamic.recording.holdings import attributes_of, containers_of, home_of
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace

NAME = "stored-twice"
BY_LOOKS = True
RULES: tuple[str, ...] = ()
SYMPTOMS = ("out-of-memory",)
FIRST_LOOK = 16
"""Looks of the sampler before the first."""
GROWTH_OF_LOOKS = 1.5
"""How many times as many come before the next."""
FIRST_SECONDS = 0.02
"""What the first looks may cost, of which windows would leave nothing."""
TRIED = 6
"""Steps that are compared with those that follow."""
ALIKE = 5
"""Of these, those that must be there twice."""
SPREAD = 48
"""Rows of an array among which those are chosen that are filled."""
NEAR = 32
"""Steps that follow: as many worlds may take turns."""
FEWEST = 128
"""Steps of a memory."""
LEAST = 512
"""Bytes of an array: smaller ones are no matter."""
DIGEST = 24
"""Numbers by which an array is told from others, before all are compared."""
MOST_PARTS = 16


def watch(tape: Tape) -> None:
    """Look now and then at the program's lists, and at the arrays of its objects."""
    tape.now_and_then(NAME, _Watch(tape).look)


class _Watch:
    """Runs in the sampler's thread."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._looks = 0
        self._next = float(FIRST_LOOK)
        self._found: dict[tuple[Place, str], int] = {}
        self._purse = Purse(tape.budget, FIRST_SECONDS)

    def look(self, frame: FrameType) -> None:
        self._looks += 1
        if self._looks < self._next:
            return
        self._next = self._looks * GROWTH_OF_LOOKS
        if self._purse.is_left():
            begin = time.thread_time()
            self._look_into(frame)
            self._purse.charge(time.thread_time() - begin)

    def _look_into(self, frame: FrameType) -> None:
        code = self._tape.code
        for named in containers_of(code, frame):
            if type(named.value) in (list, deque) and len(named.value) >= FEWEST:
                place = Place(named.file, 0, f"{named.function} {named.name}")
                each = self._found.get((place, named.home)) or _twice_in(named.value)
                self._note(place, named.home, named.line, each, len(named.value))
        for one in user_frames(code, frame):
            path = code.path_of(one.f_code.co_filename)
            for name, value in variables(one).items():
                home = home_of(code, type(value))
                for key, rows in _copied_of(value) if home else ():
                    place = Place(path, 0, f"{one.f_code.co_name} {name}.{key}")
                    self._note(place, home, one.f_lineno, rows[0].nbytes, len(rows))

    def _note(self, place: Place, home: str, line: int, each: int, steps: int) -> None:
        if each:
            self._found[place, home] = each
            self._tape.note(NAME, place)
            self._tape.detail(NAME, place).update(size=each * steps, home=home, line=line)


def _copied_of(owner: Any) -> Iterator[tuple[str, Any]]:
    """The arrays of an object of which each row is a row of another."""
    arrays = [
        (key, value)
        for key, value in islice(attributes_of(owner).items(), MOST_PARTS)
        if type(value).__name__ == "ndarray" and value.ndim > 1 and len(value) >= FEWEST
    ]
    for key, later in arrays:
        if any(first is not later and _follows(first, later) for _, first in arrays):
            yield key, later


def _twice_in(steps: Any) -> int:
    """Bytes of each step of a list that are there a second time in one that follows."""
    last = len(steps) - NEAR - 1
    found = [_twice_at(steps, number * last // TRIED) for number in range(TRIED)]
    return min(sorted(found)[TRIED - ALIKE :])


def _twice_at(steps: Any, at: int) -> int:
    following = [*islice(steps, at, at + NEAR + 1)]
    known: dict[bytes, list[tuple[int, Any]]] = {}
    for step in following[1:]:
        for number, part in _arrays_of(step):
            known.setdefault(_digest(part), []).append((number, part))
    size = 0
    for number, part in _arrays_of(following[0]):
        others = known.get(_digest(part), ())
        if any(other != number and _is_same(part, one) for other, one in others):
            size += part.nbytes
    return size


def _arrays_of(step: Any) -> Iterator[tuple[int, Any]]:
    """The arrays of a step, by their places in it."""
    parts: Iterable[Any] = ()
    if isinstance(step, (tuple, list)):
        parts = step
    elif isinstance(step, dict):
        parts = step.values()
    for number, part in enumerate(islice(parts, MOST_PARTS)):
        kind, array = type(part), part
        if kind.__name__ == "Tensor" and kind.__module__ == "torch":
            is_plain = part.device.type == "cpu" and not part.requires_grad
            array = part.numpy() if is_plain else None
        if type(array).__name__ == "ndarray" and array.nbytes >= LEAST:
            yield number, array


def _digest(part: Any) -> bytes:
    flat = part.reshape(-1)
    picked: bytes = flat[:: max(1, flat.size // DIGEST)].tobytes()
    return picked


def _is_same(one: Any, other: Any) -> bool:
    """Whether the same numbers are held in two places, and are more than one number."""
    if one is other or one.shape != other.shape or one.ctypes.data == other.ctypes.data:
        return False
    return bool((one == other).all() and one.min() != one.max())


def _follows(first: Any, later: Any) -> bool:
    """Whether the rows of one array are rows of another, moved by as many for all; those that are
    not filled yet tell nothing."""
    if first.shape != later.shape or first.dtype != later.dtype or first[0].nbytes < LEAST:
        return False
    last = len(later) - NEAR - 1
    spread = (number * last // SPREAD for number in range(SPREAD))
    rows = [row for row in spread if later[row].min() != later[row].max()][-TRIED:]
    if len(rows) < TRIED:
        return False
    digests = [_digest(later[row]) for row in rows]
    for by in range(1, NEAR):
        alike = [
            row for row, one in zip(rows, digests, strict=True) if _digest(first[row + by]) == one
        ]
        if len(alike) >= ALIKE and all(_is_same(later[row], first[row + by]) for row in alike):
            return True
    return False


def diagnose(trace: Trace) -> Iterator[Diagnosis]:
    """The memories that hold arrays twice, where they are added to."""
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        function, _, name = seen.function.partition(" ")
        share = share_of_memory(seen.detail["size"], trace.peak)
        for file in dict.fromkeys((seen.detail["home"] or seen.file, seen.file)):
            line = addition_to(file, function, name, seen.detail["line"])
            if line is not None:
                yield _diagnosis(file, line, name, seen.detail["size"], share)
                break


def _diagnosis(file: str, line: int, name: str, size: int, share: float) -> Diagnosis:
    return Diagnosis(
        signal=NAME,
        cause="inefficient-api-usage",
        file=file,
        line=line,
        function="",
        message=f"`{name}` holds what follows a step, and again what the next step begins with",
        evidence=f"{size / 1e6:,.0f} MB are held twice",
        remedy="keep each once, and take what follows from the next step (`optimize_memory_usage` "
        "of Stable-Baselines3), or put the same array into both steps, without a copy",
        weight=Weight.MEMORY if share >= FLOOR else Weight.HINT,
        share=share,
    )
