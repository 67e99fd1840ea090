"""A Python loop computes with the elements of arrays, one in each turn."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
from collections.abc import Iterable, Mapping
from types import CodeType, FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_within
from deepperf.dynamic.program.element_loops import ElementLoop, element_loops
from deepperf.dynamic.recording.frame_variables import named_globals, own_variables, variables
from deepperf.dynamic.recording.interruption import Interruption
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "array-loop"
BY_LOOKS = True
NUMBERS = f"{NAME} numbers"
"""What is noted of a function's numbers, and of its lists of them."""
RULES = ("looped-branch", "per-slice-op")
LOOK_EVERY = 5
"""Samples for one look at the names of what runs, but for the first at each function: a loop that
costs takes longer, though in a run of half a second not by much."""
MOST_LOOKS = 6
"""Looks at one function: its arrays are known by then."""
WITHIN = ("<listcomp>", "<genexpr>", "<setcomp>")
"""What stands for a part of the function around it."""
FEWEST = 1000
"""Elements of a list below which a search of it is over in a moment."""
FEWEST_ELEMENTS = 256
"""Elements of an array below which operations on the whole of it gain little."""


def watch(tape: Tape) -> None:
    """Look now and then which arrays the running function knows."""
    tape.imports.after("numpy", lambda _module: _Looking(tape).begin())


class _Looking:
    """Has the main thread look at itself: from another, names of what runs may not be read."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._samples = 0
        self._looks: dict[CodeType, int] = {}
        self._turn = Interruption(self._look)

    def begin(self) -> None:
        self._tape.at_samples(NAME, self._sampled)

    def _sampled(self, frame: FrameType) -> None:
        self._samples += 1
        is_turn = self._samples % LOOK_EVERY == 0
        if not any(is_turn or one.f_code not in self._looks for one in self._of_interest(frame)):
            return
        if threading.current_thread() is threading.main_thread():
            self._look(frame)
        else:
            self._turn.ask()

    def _of_interest(self, frame: FrameType) -> list[FrameType]:
        """What runs, and what called it: that may hold the loop."""
        frames = (frame, frame.f_back)
        return [one for one in frames if one is not None and self._is_of_interest(one.f_code)]

    def _is_of_interest(self, code: CodeType) -> bool:
        is_own = bool(self._tape.code.path_of(code.co_filename))
        return is_own and self._looks.get(code, 0) < MOST_LOOKS

    def _look(self, frame: FrameType) -> None:
        if self._tape.active:
            for one in self._of_interest(frame):
                self._tape.guarded(NAME, functools.partial(self._note, one))

    def _note(self, frame: FrameType) -> None:
        code = frame.f_code
        self._looks[code] = self._looks.get(code, 0) + 1
        arrays = dict(_arrays(own_variables(frame)))
        if arrays:
            path = self._tape.code.path_of(code.co_filename)
            place = Place(path, code.co_firstlineno, code.co_name)
            self._tape.note(NAME, place)
            self._tape.detail(NAME, place).setdefault("arrays", {}).update(arrays)
        self._note_numbers(frame)

    def _note_numbers(self, frame: FrameType) -> None:
        inner: list[CodeType] = []
        while frame.f_code.co_name in WITHIN and frame.f_back is not None:
            inner.append(frame.f_code)
            frame = frame.f_back
        code = frame.f_code
        path = self._tape.code.path_of(code.co_filename)
        names = {**named_globals(frame, *inner), **variables(frame)}
        numbers = {name: value for name, value in names.items() if type(value) in (int, float)}
        lists = {name: len(value) for name, value in names.items() if _is_of_numbers(value)}
        long = {name: len(value) for name, value in names.items() if _is_long(value)}
        if path and (numbers or lists or long):
            place = Place(path, code.co_firstlineno, code.co_name)
            self._tape.note(NUMBERS, place)
            detail = self._tape.detail(NUMBERS, place)
            detail.setdefault("numbers", {}).update(numbers)
            detail.setdefault("lists", {}).update(lists)
            if long:
                detail.setdefault("long", {}).update(long)


def _is_long(value: Any) -> bool:
    return type(value) in (list, tuple) and len(value) >= FEWEST


def _is_of_numbers(value: Any) -> bool:
    return type(value) in (list, tuple) and bool(value) and type(value[0]) in (int, float)


def _arrays(names: Mapping[str, Any]) -> Iterable[tuple[str, list[int]]]:
    numpy = sys.modules["numpy"]
    torch: Any = sys.modules.get("torch")
    kinds = (numpy.ndarray,) if torch is None else (numpy.ndarray, torch.Tensor)
    # A mode of the program's, or a class, would hear of what is asked.
    with contextlib.nullcontext() if torch is None else torch._C.DisableTorchFunction():
        for name, value in names.items():
            if isinstance(value, kinds):
                yield name, [int(side) for side in value.shape]


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops in which time goes, and which the text shows to be about single elements."""
    for seen in trace.observations:
        if seen.kind != NAME:
            continue
        shapes = {
            name: shape
            for name, shape in seen.detail.get("arrays", {}).items()
            if shape and _count(shape) >= FEWEST_ELEMENTS
        }
        for loop in element_loops(seen.file, seen.function, shapes):
            yield _diagnosis(trace, seen, loop, shapes)


def _diagnosis(
    trace: Trace, seen: Observation, loop: ElementLoop, shapes: dict[str, list[int]]
) -> Diagnosis:
    within = range(loop.first, loop.last + 1)
    sides = ", ".join(
        f"`{name}` of {' x '.join(f'{side:,}' for side in shapes[name])}" for name in loop.arrays
    )
    return Diagnosis(
        signal=NAME,
        cause="missed-efficient-api",
        file=seen.file,
        line=loop.first,
        function=seen.function,
        message=(
            "a Python loop chooses a formula for each element of an array"
            if loop.chooses
            else "a Python loop computes an array element by element"
        ),
        evidence=f"it iterates over {sides}, element by element",
        remedy=(
            "compute both formulas for whole arrays, and select with `np.where` or `torch.where`"
            if loop.chooses
            else "use operations on whole arrays"
        ),
        share=share_within(trace, seen.file, within),
        rule="looped-branch" if loop.chooses else "per-slice-op",
    )


def _count(shape: list[int]) -> int:
    count = 1
    for side in shape:
        count *= side
    return count
