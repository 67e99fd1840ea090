"""Many tiny TensorFlow operations are run one by one from one line of a Python loop."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterable
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, own_share_of, share_within
from deepperf.dynamic.frameworks.heard import FEWEST, LARGER, Heard, HeardLines
from deepperf.dynamic.frameworks.heard_broadcasts import HeardBroadcasts
from deepperf.dynamic.frameworks.keras_calls import ModelCall, layers_of, listen
from deepperf.dynamic.program.eager_steps import FITTED, LAYERS, eager_steps
from deepperf.dynamic.program.operation_loops import (
    AROUND,
    CASES,
    LOOKUPS,
    READS,
    diagnosis_of,
    loops_of,
    operations_of,
    smells,
)
from deepperf.dynamic.recording.places import DEEPEST, UserCode
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.windows import Windows

NAME = "eager-ops"
RULES = tuple(case.rule for case in CASES.values())
PER_TIMED = 2.0
"""Seconds that hearing takes in all for each that is timed of it: much of it goes to the slower way
on which TensorFlow runs what it tells of."""
FEWEST_READS = 8
"""Files that are read or decoded at one line: each takes longer than a hundred operations."""
INDEX = 8
"""Numbers of what is a place in an array and not data."""
MAIN_WORK = 0.3
"""Part of a loop's time from which on a line is what the loop is there for."""
SETS = ("AssignAdd", "AssignSub", "ResourceApply")
"""How the operations begin by which an optimizer changes weights and counts its steps; it assigns
as well when it is made, or loaded with its model."""
OPTIMIZERS = "optimizer"
"""What the files of optimizers are called after, of Keras and of TensorFlow itself."""
TRAINERS = (
    os.path.join("backend", "tensorflow", "trainer.py"),
    os.path.join("engine", "training.py"),
)
"""What runs a model's own training, which compiles its steps unless it is told not to."""
MAPS = "map_fn.py"
"""What stands between a mapped function and the line that maps it."""
FUNCTIONS = ("__inference", "__forward", "__backward")
"""How compiled functions are called where operations are told."""


def watch(tape: Tape) -> None:
    """Listen to operations as soon as TensorFlow is there, as long as the budget lasts."""
    tape.imports.after("tensorflow", lambda _module: _listen(tape))
    listen(tape, NAME, ("fit",), lambda call: _look_at_fit(tape, call))


def _look_at_fit(tape: Tape, call: ModelCall) -> None:
    """Note a training that was told not to compile its steps."""
    if getattr(call.model, "run_eagerly", False) is True:
        parts = [call.model.train_step, call.model.compute_loss, *map(type, layers_of(call.model))]
        is_keras = all(_is_of_keras(part) for part in (*parts, getattr(call.model, "loss", None)))
        detail = {"keras": is_keras}
        tape.note(FITTED, call.place, seconds=call.seconds, detail=detail)


def _is_of_keras(part: Any) -> bool:
    """Whether nothing of the user's is in it that may need to run as Python."""
    home = getattr(part, "__module__", None) or type(part).__module__
    return isinstance(part, str) or part is None or home.startswith(("keras.", "tf_keras."))


def _listen(tape: Tape) -> None:
    callbacks = sys.modules.get("tensorflow.python.framework.op_callbacks")
    if callbacks is not None:
        _Listening(tape, callbacks).begin()


class _Seen(Heard):
    __slots__ = ("compiled", "fitted", "indexing", "layered", "made", "mapped", "updates")

    def __init__(self) -> None:
        super().__init__()
        self.indexing = self.layered = self.compiled = self.made = self.updates = self.fitted = 0
        self.mapped = False

    def came_from(self, code: UserCode, frame: FrameType) -> None:
        super().came_from(code, frame)
        self.mapped = _is_mapped(code, frame)


class _Listening:
    """Hears of each eager operation of the main thread while a window is open."""

    def __init__(self, tape: Tape, callbacks: Any) -> None:
        self._tape = tape
        self._lines = HeardLines(tape.code, _Seen)
        self._broadcasts = HeardBroadcasts(_bytes_of)
        self._callbacks = callbacks
        self._windows = Windows(tape, NAME, PER_TIMED, self._open, self._close, self._note)

    def begin(self) -> None:
        self._windows.begin()

    def _open(self, _frame: FrameType | None) -> bool:
        if not self._is_eager():
            return False
        self._callbacks.add_op_callback(self._hear)
        return True

    def _close(self, _frame: FrameType | None) -> bool:
        # While a graph is made, TensorFlow would go on looking for callbacks afterwards.
        if not self._is_eager():
            return False
        self._callbacks.remove_op_callback(self._hear)
        return True

    def _is_eager(self) -> bool:
        return bool(self._callbacks.context.context().executing_eagerly())

    def _hear(
        self,
        kind: Any,
        inputs: Any,
        attrs: Any,  # noqa: ARG002
        outputs: Any,
        op_name: Any = None,  # noqa: ARG002
        graph: Any = None,
    ) -> None:
        begin = self._windows.hears()
        # An invariant: recording harms no program.
        with contextlib.suppress(Exception):
            if graph is None and not self._windows.is_enough():
                self._take(kind, inputs, outputs, sys._getframe(1))
        self._windows.heard(begin)

    def _take(self, kind: Any, inputs: Any, outputs: Any, frame: FrameType | None) -> None:
        seen, between = self._lines.asked_by(frame)
        if seen is None:
            return
        is_called = any("keras" in file or "polymorphic_function" in file for file in between)
        name = kind if isinstance(kind, str) else kind.decode()
        if "Iterator" in name or "Dataset" in name:
            return
        made = sum(output._num_elements() for output in outputs)
        if name.startswith(LOOKUPS):
            self._broadcasts.picked(inputs)
        else:
            place = None if is_called else self._lines.last
            self._broadcasts.take(place, made, inputs, outputs)
        if is_called or name.startswith(FUNCTIONS):
            # What layers and compiled functions do is not the line's own work.
            seen.calls += 1
            if name.startswith(FUNCTIONS):
                seen.compiled += 1
            else:
                seen.layered += 1
                seen.fitted += any(file.endswith(TRAINERS) for file in between)
                seen.made += made
                is_updating = any(OPTIMIZERS in file for file in between)
                seen.updates += is_updating and name.startswith(SETS)
            return
        seen.count += 1
        seen.kinds[name] += 1
        seen.elements += made
        if name.startswith(LOOKUPS) and inputs and outputs and _is_part(inputs[0], outputs[0]):
            seen.picks += 1
            seen.picked += made
        elif name.startswith(AROUND) and made <= INDEX and outputs and outputs[0].dtype.is_integer:
            seen.indexing += 1

    def _note(self) -> None:
        tape = self._tape
        self._broadcasts.note(tape)
        for place, seen in self._lines:
            # The time of a line that calls compiled functions goes to them.
            if seen.layered >= FEWEST and not seen.compiled:
                layers = tape.detail(LAYERS, place)
                layers.update(heard=seen.layered, elements=seen.made, updates=seen.updates)
                layers["fitted"] = seen.fitted
                layers["ways"] = [[way.file, way.line] for way in (place, *seen.callers)]
            if not _is_worth_noting(seen.kinds):
                continue
            tape.note(NAME, place, count=0)
            detail = tape.detail(NAME, place)
            detail.update(seen.told(), indexing=seen.indexing, mapped=seen.mapped)
            # What called that may loop over anything.
            detail["callers"] = [list(one) for one in seen.callers[:1]]


def _bytes_of(tensor: Any) -> int:
    return int(tensor._num_elements() * tensor.dtype.size)


def _is_worth_noting(kinds: Counter[str]) -> bool:
    reads = max((count for kind, count in kinds.items() if kind.startswith(READS)), default=0)
    return reads >= FEWEST_READS or max(kinds.values(), default=0) >= FEWEST


def _is_part(whole: Any, part: Any) -> bool:
    """Whether an element, a row or a column was taken; batches are as deep as what they are of."""
    if len(part._shape_tuple()) >= len(whole._shape_tuple()):
        return False
    return bool(whole._num_elements() >= LARGER * part._num_elements())


def _is_mapped(code: UserCode, frame: FrameType) -> bool:
    """Whether the user's line that asked for this one did by mapping a function."""
    outer = frame.f_back
    for _ in range(DEEPEST):
        if outer is None or code.path_of(outer.f_code.co_filename):
            return False
        if outer.f_code.co_filename.endswith(MAPS):
            return True
        outer = outer.f_back
    return False


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops in which tiny operations were heard, each for what it is a case of."""
    steps = list(eager_steps(trace))
    yield from steps
    told = {(item.file, item.line) for item in steps}
    for item in _of_lines(trace):
        if (item.file, item.line) not in told:
            yield item


def _of_lines(trace: Trace) -> Iterable[Diagnosis]:
    """The loops whose own lines run tiny operations."""
    heard = [
        seen
        for seen in trace.observations
        if seen.kind == NAME and not seen.detail.get("mapped") and seen.detail.get("kinds")
    ]
    for loop, lines in loops_of(heard):
        found = [
            (
                smell,
                sum(
                    own_share_of(trace, seen.file, seen.line)
                    for seen in (*smell.lines, *smell.beside)
                ),
            )
            for smell in smells(loop, lines)
        ]
        # Lines that take little of their loop's time are not what the loop is there for.
        is_main = sum(share for _, share in found) >= MAIN_WORK * share_within(
            trace, loop.file, range(loop.first, loop.last + 1)
        )
        for smell, share in found:
            yield diagnosis_of(
                NAME,
                loop,
                smell,
                CASES[smell.what],
                f"at least {operations_of(smell)}",
                share,
                Weight.TIME if is_main else Weight.HINT,
            )
