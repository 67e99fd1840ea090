"""A model, or a part of one, is asked the same again: the same array, the same weights, and so the
same answer."""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable
from typing import Any

from deepperf.dynamic.diagnosis import (
    FORWARD,
    Diagnosis,
    Weight,
    share_of_call,
    share_of_seconds,
    told_at,
)
from deepperf.dynamic.frameworks import torch_calls
from deepperf.dynamic.frameworks.keras_calls import ModelCall, listen
from deepperf.dynamic.frameworks.torch_calls import ModuleCall, Which
from deepperf.dynamic.program.loops import loop_around
from deepperf.dynamic.program.text import lines_of
from deepperf.dynamic.program.turns import in_loop, needs_last_turn
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "repeated-call"
PART = f"{NAME} part"
RULES = ("loop-invariant-op",)
METHODS = ("predict", "predict_on_batch", "__call__")
FEWEST = 8
"""Answers that were known already: a few calls warm up, or compare two states of a program."""
COMPARED = 1024
"""Numbers of an answer that are compared, spread over all of it."""
FEWEST_TRIED = 600
"""Calls after which a line that never repeated one is compared no more: an epoch's batches."""
MOST_ANSWERS = 600
"""Answers that are remembered of a line, as numbers."""
MOST_MODELS = 4
"""Answers that are remembered of the same question, for as many models that take turns."""
TIMES = re.compile(r"\b(perf_counter|process_time|monotonic|timeit|time\.time|Stopwatch)\b")
"""What stands around a loop that repeats a call to learn how long it takes."""
AROUND = 5
"""Lines before and after a loop in which its time is taken."""


def watch(tape: Tape) -> None:
    """Compare what a model is asked, and answers, with the call before from the same line."""
    asked: dict[Place, _Asked] = {}
    listen(tape, NAME, METHODS, lambda call: _look(tape, asked, call))
    answers, parts = _Answers(tape, NAME), _Answers(tape, PART)
    torch_calls.listen(tape, NAME, answers.look, answers.note)
    torch_calls.listen(tape, NAME, parts.look, parts.note, Which.AGAIN)


class _Asked:
    """What was asked last; only what may be asked again is compared, and nothing is kept."""

    __slots__ = ("_data", "_model", "answer")

    def __init__(self) -> None:
        self._data: weakref.ref[Any] | None = None
        self._model: weakref.ref[Any] | None = None
        self.answer: bytes | None = None

    def was_asked(self, model: Any, data: Any) -> bool:
        """Whether this model was asked about this array the last time; from now on it was."""
        if self._data is not None and self._model is not None and self._model() is model:
            if self._data() is data:
                return True
        else:
            self._model = weakref.ref(model)
        self._data = weakref.ref(data)
        self.answer = None
        return False


def _look(tape: Tape, asked: dict[Place, _Asked], call: ModelCall) -> None:
    data = call.argument("x", 0) if "x" in call.named else call.argument("inputs", 0)
    if type(data).__name__ not in ("ndarray", "EagerTensor"):
        return
    last = asked.get(call.place)
    if last is None:
        last = asked[call.place] = _Asked()
    if not last.was_asked(call.model, data):
        tape.note(NAME, call.place)
        return
    answer = _digest(call.result)
    if answer is None:
        return
    is_known = answer == last.answer
    last.answer = answer
    tape.note(NAME, call.place, seconds=call.seconds if is_known else 0.0)
    detail = tape.detail(NAME, call.place)
    detail["known"] = detail.get("known", 0) + is_known


def _digest(answer: Any) -> bytes | None:
    """Some numbers of an array on the processor; None for anything else."""
    if type(answer).__name__ == "EagerTensor":
        if "CPU" not in str(answer.device):
            return None
        answer = answer.numpy()
    if type(answer).__name__ != "ndarray":
        return None
    flat = answer.reshape(-1)
    picked: bytes = flat[:: max(1, flat.size // COMPARED)].tobytes()
    return picked


class _Known:
    """What was asked at one line, with the answers, and how often an answer was known."""

    __slots__ = ("answers", "calls", "known", "model", "ways")

    def __init__(self, model: str, ways: tuple[Place, ...]) -> None:
        self.answers: dict[int, tuple[int, ...]] = {}
        self.calls = 0
        self.known = 0
        self.model = model
        self.ways = ways


class _Answers:
    """Compares what PyTorch models are asked, and answer, with all that was seen before: a model
    may be asked about the same batches again in each epoch. Nothing of either is kept."""

    def __init__(self, tape: Tape, kind: str) -> None:
        self._tape = tape
        self._kind = kind
        self._lines: dict[Place, _Known] = {}

    def look(self, call: ModuleCall) -> None:
        """Take note of a call that does not train: what does, answers differently each time."""
        if call.trains:
            return
        known = self._lines.setdefault(call.place, _Known(type(call.module).__name__, call.ways))
        known.calls += 1
        if known.calls > FEWEST_TRIED and not known.known:
            # What was never asked again so far is asked about something else each time.
            return
        asked = call.asked()
        if asked is None:
            return
        if asked not in known.answers:
            if len(known.answers) < MOST_ANSWERS:
                known.answers[asked] = ()
            return
        # Most is asked only once: what the answer was is looked at from the second time on. A model
        # that is loaded anew answers as it did before; several in turn have an answer each.
        answer, before = call.answered(), known.answers[asked]
        if answer is None:
            return
        known.known += answer in before
        known.answers[asked] = (answer, *(one for one in before if one != answer))[:MOST_MODELS]

    def note(self) -> None:
        """Put on the tape what is known so far."""
        for place, seen in list(self._lines.items()):
            if seen.known >= FEWEST:
                self._tape.note(self._kind, place, count=0)
                detail = self._tape.detail(self._kind, place)
                detail.update(calls=seen.calls, known=seen.known, model=seen.model)
                detail["ways"] = [[way.file, way.line] for way in seen.ways]


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines whose answers were known."""
    for seen in trace.observations:
        known = seen.detail.get("known", 0)
        # Of PyTorch's, only those within windows were seen.
        calls = seen.detail.get("calls", seen.count)
        is_often = seen.kind in (NAME, PART) and known >= FEWEST and known * 2 >= calls
        # A part that is given the same tensor was given it before by whoever calls the model.
        if is_often and (seen.kind == PART or not follows_answers(seen)):
            yield _diagnosis(trace, seen, known, calls)


def follows_answers(seen: Observation) -> bool:
    """Whether what is asked comes of earlier answers: whoever walks through a small world asks of
    the same places again and again, and nobody knows before of which."""
    turning = (way for way in seen.detail.get("ways", ()) if in_loop(*way))
    innermost = next(turning, None)
    return innermost is not None and needs_last_turn(*innermost)


def _diagnosis(trace: Trace, seen: Observation, known: int, calls: int) -> Diagnosis:
    share = share_of_seconds(trace, seen.seconds)
    if "calls" in seen.detail:
        share = known / calls * share_of_call(trace, seen.file, seen.line, FORWARD)
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=(
            f"`{seen.detail['model']}` is run again on the same tensor and returns the same"
            if seen.kind == PART
            else "the model is called again with the same array and returns the same"
        ),
        evidence=(
            f"{known:,} of {calls:,} sampled calls repeated an earlier one; such calls "
            f"took {share * trace.work_seconds:.2f} s"
        ),
        remedy=(
            "run it once where its input is made, and pass what it returns to the model"
            if seen.kind == PART
            else "call it once, before the loop, and keep the output"
        ),
        weight=Weight.HINT if is_timed(seen.file, seen.line) else Weight.TIME,
        share=share,
        rule="loop-invariant-op",
    )


def is_timed(file: str, line: int) -> bool:
    """Whether somebody measures how long the calls take."""
    first, last = loop_around(file, line) or (line, line)
    lines = lines_of(file)
    around = lines[max(0, first - 1 - AROUND) : last + AROUND]
    return any(TIMES.search(text) for text in around)
