"""A model, or a session, is asked about the same data after each step of a training."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of, share_of_seconds, told_at
from deepperf.dynamic.frameworks import torch_calls
from deepperf.dynamic.frameworks.keras_calls import ModelCall, leading_array, listen
from deepperf.dynamic.frameworks.session_runs import Ended, before_runs, changes_anything
from deepperf.dynamic.frameworks.torch_calls import ModuleCall
from deepperf.dynamic.program.eager_steps import LAYERS
from deepperf.dynamic.program.same_each_turn import is_given_the_same, same_in_turns
from deepperf.dynamic.program.text import lines_of
from deepperf.dynamic.program.turns import Loop, is_within
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals.step_chores import (
    lines_that_step,
    loops_of_steps,
    steps_in_loops,
)
from deepperf.dynamic.signals.tiny_traced_steps import ASKED

NAME = "step-evaluation"
STEPS = f"{NAME} steps"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
METHODS = ("predict", "predict_on_batch", "evaluate", "test_on_batch")
OFTEN = 2
"""Steps between two calls up to which they belong to the steps."""
FEWEST_CALLS = 10
"""Calls that came so soon: fewer are the epochs of a training on a handful of batches."""
FEWEST_SELDOM = 4
"""The same where more steps lie between: only some of such calls are heard."""
LOOKED_AT = 4
"""Calls after one step that are compared: where hearing begins, it may be amid an evaluation."""
MOST_KNOWN = 512
"""What was asked at a line, as far as it is remembered."""
FEWEST_ROWS = 8
"""Rows of a call that stand for data: the state of a small world comes again by itself."""
NEVER = -1
"""What stands for what a model was trained on before its first step."""
COSTLY = 0.2
"""Share of the run from which on asking less often is worth it: somebody wants to see the curve."""
FELT = 0.05
"""The same of what a callback does, from which on it is worth a note."""
MOST = 0.5
"""That share where more steps lie between, on purpose: then asking takes longer than training."""


def watch(tape: Tape) -> None:
    """Compare what each call is given, and after how many steps, with the call before."""
    asked: dict[Place, _Asked] = {}
    batches = _Batches()
    listen(tape, NAME, ("train_on_batch",), batches.note)
    listen(tape, NAME, METHODS, lambda call: _note(tape, asked, call, tape.ticks + batches.count))
    evaluations = _Evaluations(tape)
    torch_calls.listen(tape, NAME, evaluations.look, evaluations.note)
    runs = _Runs(tape)
    before_runs(tape, NAME, runs.begun)


class _Line:
    """The runs of a session from one line."""

    __slots__ = ("changes", "count", "fed", "since")

    def __init__(self) -> None:
        self.count = self.since = 0
        self.changes = False
        self.fed: weakref.ref[Any] | None = None


class _Runs:
    """What sessions were fed with at each line, and how often they have trained."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._lines: dict[Place, _Line] = {}
        self._trained = 0
        self._last: weakref.ref[Any] | None = None

    def begun(self, session: Any, fetches: Any, fed: Any) -> Ended | None:
        """Note how long a run takes that is fed as it was before the last step."""
        place = self._tape.code.caller()
        if place is None:
            return None
        line = self._lines.setdefault(place, _Line())
        line.count += 1
        if line.count & (line.count - 1) == 0:
            line.changes = line.changes or changes_anything(session.graph, fetches)
        array = max(_arrays(fed), key=lambda one: one.size, default=None)
        if line.changes:
            self._trained += 1
            self._last = None if array is None else weakref.ref(array)
            return None
        steps, line.since = self._trained - line.since, self._trained
        if array is not None and self._last is not None and self._last() is array:
            # What a step was just fed with says how well it went.
            return None
        is_same = array is not None and line.fed is not None and line.fed() is array
        line.fed = None if array is None else weakref.ref(array)
        if is_same and 0 < steps <= OFTEN:
            return functools.partial(self._note, place)
        return None

    def _note(self, place: Place, seconds: float) -> None:
        self._tape.note(NAME, place, seconds=seconds, detail={"method": "run"})


def _arrays(fed: Any) -> list[Any]:
    values = fed.values() if isinstance(fed, dict) else ()
    return [value for value in values if type(value).__name__ == "ndarray" and value.ndim]


class _Batches:
    """How many batches were trained on by calls of their own, for which no clock ticks."""

    def __init__(self) -> None:
        self.count = 0

    def note(self, _: ModelCall) -> None:
        self.count += 1


class _Asked:
    """What was asked last at a line, and after how many steps of the run.

    A slice that is taken anew is the same data as long as it is the same part of one array.
    """

    __slots__ = ("data", "part", "ticks")

    def __init__(self, data: Any, ticks: int) -> None:
        self.part = None
        if isinstance(getattr(data, "base", None), type(data)):
            self.part = (data.ctypes.data, data.shape, data.strides)
            while isinstance(data.base, type(data)):
                data = data.base
        self.data = weakref.ref(data)
        self.ticks = ticks

    def is_same(self, other: _Asked) -> bool:
        data = self.data()
        return data is not None and data is other.data() and self.part == other.part


def _note(tape: Tape, asked: dict[Place, _Asked], call: ModelCall, ticks: int) -> None:
    data = leading_array(call.argument("x", 0))
    if data is None:
        data = call.argument("x", 0)
    try:
        now = _Asked(data, ticks)
    except TypeError:
        return
    last = asked.get(call.place)
    asked[call.place] = now
    if last is not None and last.is_same(now) and 0 < now.ticks - last.ticks <= OFTEN:
        tape.note(NAME, call.place, seconds=call.seconds, detail={"method": call.method})


class _Evaluated:
    """What a line asked first after the last step that it was reached after, and what it asked
    after which steps before."""

    __slots__ = ("again", "asked", "known", "looked_at", "often", "seldom", "ticks", "ways")

    def __init__(self) -> None:
        self.asked: int | None = None
        self.ticks = self.again = -1
        self.often = self.seldom = self.looked_at = 0
        self.known: dict[int, int] = {}
        self.ways: tuple[Place, ...] = ()

    def take(self, asked: int | None, ticks: int, rows: int) -> None:
        """Compare what is asked now, after so many steps."""
        if ticks != self.ticks:
            is_again = asked is not None and asked == self.asked
            self.often += is_again and ticks - self.ticks <= OFTEN
            self.asked, self.ticks, self.looked_at = asked, ticks, 0
        self.looked_at += 1
        if asked is None or rows < FEWEST_ROWS:
            return
        if ticks != self.again and self.known.get(asked, ticks) < ticks - OFTEN:
            self.seldom += 1
            self.again = ticks
        if asked in self.known or len(self.known) < MOST_KNOWN:
            self.known[asked] = ticks

    def is_enough(self, ticks: int) -> bool:
        """Whether nothing more is learned of this step."""
        return ticks == self.ticks and self.looked_at >= LOOKED_AT


class _Evaluations:
    """Compares what a PyTorch model in training is asked between steps, by the first batch."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._trained: weakref.WeakKeyDictionary[Any, int | None] = weakref.WeakKeyDictionary()
        self._lines: dict[Place, _Evaluated] = {}
        self._training: set[Place] = set()

    def look(self, call: ModuleCall) -> None:
        """Take note of a call, of a step or of an evaluation."""
        tape = self._tape
        if call.trains:
            self._training.add(call.place)
            self._train(call)
            return
        # Of a model that trains on all data at once, a step is an epoch.
        if self._trained.get(call.module) is None:
            return
        ticks = tape.ticks
        seen = self._lines.setdefault(call.place, _Evaluated())
        if seen.is_enough(ticks):
            return
        given = call.given
        # A model that is still in training is asked for what the next step needs.
        is_tested = not call.module.training and given is not None and given.dim() > 1
        seen.take(call.asked(), ticks, int(given.size(0)) if is_tested else 0)
        seen.ways = call.ways

    def _train(self, call: ModuleCall) -> None:
        before = self._trained.get(call.module, NEVER)
        if before is None:
            return
        asked = call.asked()
        self._trained[call.module] = None if asked == before else asked

    def note(self) -> None:
        """Put on the tape what is known so far."""
        for place, seen in list(self._lines.items()):
            if seen.often >= FEWEST_CALLS or seen.seldom >= FEWEST_SELDOM:
                self._tape.note(STEPS, place, count=0)
                detail = self._tape.detail(STEPS, place)
                detail.update(often=seen.often, seldom=seen.seldom)
                detail["ways"] = [list(way) for way in seen.ways]
                detail["trains"] = place in self._training


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that ask at each step, and take a good part of the run."""
    loops = list(loops_of_steps(trace))
    for seen in trace.observations:
        if seen.kind == STEPS:
            yield from _of_steps(trace, seen, loops)
        elif seen.kind == NAME and seen.count >= FEWEST_CALLS:
            share = share_of_seconds(trace, seen.seconds)
            if share >= COSTLY:
                yield _diagnosis(seen, share)
    yield from _of_tensorflow(trace)


def _of_tensorflow(trace: Trace) -> Iterator[Diagnosis]:
    """The statements of loops of TensorFlow's steps that ask a model the same at each."""
    told: set[Place] = set()
    steps = [one for one in steps_in_loops(trace) if one[3] == "tensorflow"]
    for seen in trace.observations:
        if seen.kind not in (ASKED, LAYERS) or seen.detail.get("updates"):
            continue
        ways = [tuple(way) for way in seen.detail.get("ways", ())]
        for place, (file, line) in enumerate(ways):
            found = (
                Place(file, line, seen.function if not place else "")
                for home, loop, step, _ in steps
                if home == file
                and is_within(loop, line)
                # Where a step is all of an epoch, it is followed by what follows an epoch.
                and not is_given_the_same(loop, step)
                and same_in_turns(ways, place, loop, step)
            )
            where = next(found, None)
            share = share_of(trace, file, line)
            if where is not None and where not in told and share >= COSTLY:
                told.add(where)
                evidence = f"the line took {share * trace.work_seconds:.2f} s"
                yield _told_of_line(where, "after each training step", evidence, share)


def _diagnosis(seen: Observation, share: float) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{seen.detail['method']}` goes through the same data after each training step",
        evidence=(
            f"{seen.count:,} calls took {seen.seconds:.2f} s, "
            f"{1000 * seen.seconds / seen.count:.1f} ms each"
        ),
        remedy=(
            "evaluate every few hundred steps, or once per epoch"
            if seen.detail["method"] == "run"
            else "evaluate once per epoch, with `validation_data` or in `on_epoch_end`"
        ),
        share=share,
    )


def _of_steps(
    trace: Trace, seen: Observation, loops: Sequence[tuple[str, Loop]]
) -> Iterable[Diagnosis]:
    """The line of a loop of steps that led to an evaluation, and to no step."""
    stepping = set(lines_that_step(trace))
    before: Place | None = None
    for file, line, function in seen.detail["ways"]:
        if (file, line) in stepping:
            if before is not None and not _is_called_at(before.function, file, line):
                yield from _of_callback(trace, seen, before)
            return
        before = Place(file, line, function)
        if any(file == home and is_within(loop, line) for home, loop in loops):
            share = share_of(trace, file, line)
            often = seen.detail["often"]
            is_often = often >= FEWEST_CALLS
            if share >= (COSTLY if is_often else MOST):
                evidence = (
                    f"at least {often if is_often else seen.detail['seldom']:,} times; the line "
                    f"took {share * trace.work_seconds:.2f} s"
                )
                when = "after each training step" if is_often else "every few training steps"
                yield _told_of_line(Place(file, line, function), when, evidence, share)
            return


def _is_called_at(function: str, file: str, line: int) -> bool:
    """Whether a line names a function that it has led to; what a trainer calls, it does not."""
    lines = lines_of(file)
    return not 0 < line <= len(lines) or function in lines[line - 1]


def _of_callback(trace: Trace, seen: Observation, where: Place) -> Iterable[Diagnosis]:
    """A line that a trainer of a library leads to after its steps."""
    share = share_of(trace, where.file, where.line)
    often = seen.detail["often"]
    # The time of a line that trains as well is not that of evaluations.
    if often >= FEWEST_CALLS and share >= FELT and not seen.detail.get("trains"):
        evidence = f"at least {often:,} times; the line took {share * trace.work_seconds:.2f} s"
        told = _told_of_line(where, "after each training step", evidence, share)
        yield told if share >= COSTLY else replace(told, weight=Weight.HINT)


def _told_of_line(where: Place, when: str, evidence: str, share: float) -> Diagnosis:
    return told_at(
        where,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"the model goes through the same data {when}",
        evidence=evidence,
        remedy="evaluate once per epoch, or every few hundred steps",
        share=share,
    )
