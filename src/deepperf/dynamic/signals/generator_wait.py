"""A training loop waits for a Python generator that makes its batches between the steps."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from types import FrameType
from typing import NamedTuple

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.program.loops import loop_around
from deepperf.dynamic.recording.places import DEEPEST
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "generator-wait"
BY_LOOKS = True
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution", "abnormal-gpu-utilization")
FEWEST_STEPS = 10
"""Steps while a loop was seen: fewer are a look at a few examples."""
FEWEST_SAMPLES = 10
"""Looks that found the loop in its generator: a share told by fewer is off by a third."""
WAITING = 0.2
"""Part of the loop's time from which on its input is worth a change; TensorFlow's own profiler
calls a step that waits so long highly bound by its input."""
MODELS = tuple(
    os.sep + os.path.join(*parts) + os.sep
    for parts in (
        ("torch", "nn"),
        ("torch", "optim"),
        ("torch", "autograd"),
        ("keras", "src"),
        ("tf_keras", "src"),
        ("polymorphic_function",),
        ("flax",),
        ("transformers", "models"),
    )
)
"""Where models run: a generator whose time goes there yields results, and is no input."""
LOADERS = os.sep + os.path.join("torch", "utils", "data") + os.sep
"""What has a signal of its own."""
COMPUTING = 0.3
"""Part of a generator's time in models from which on it is not there to read data."""
MOST_LINES = 200


CONTEXTS = "contextlib.py"
"""What calls generators that make no elements."""


class _Wait(NamedTuple):
    """A generator that is asked for an element, who asks, and whether models run meanwhile."""

    generator: FrameType
    consumer: FrameType
    is_modelled: bool


def watch(tape: Tape) -> None:
    """Look whether the main thread is in a generator, and for whom."""
    homes: dict[str, str] = {}
    tape.at_samples(NAME, lambda frame: _look(tape, homes, frame))


def _home_of(tape: Tape, filename: str) -> str:
    """What a file is part of, as far as it matters here; "own" where it is the user's."""
    if tape.code.path_of(filename):
        return "own"
    if any(part in filename for part in MODELS):
        return "model"
    if LOADERS in filename:
        return "loader"
    return "context" if filename.endswith(CONTEXTS) else ""


def _look(tape: Tape, homes: dict[str, str], frame: FrameType | None) -> None:
    """Note the line that asked the outermost generator of the user's for an element, and where
    the innermost of those that it asks itself is. `homes` remembers what files are part of."""
    inner: FrameType | None = None
    found: tuple[FrameType, bool] | None = None
    wait: _Wait | None = None
    is_modelled = is_loaded = False
    for _ in range(DEEPEST):
        if frame is None:
            break
        code = frame.f_code
        home = homes.get(code.co_filename)
        if home is None:
            home = homes[code.co_filename] = _home_of(tape, code.co_filename)
        if home == "model":
            is_modelled = True
        elif home == "loader":
            is_loaded = True
        elif home == "context":
            found = inner = None
        elif home:
            if found is not None:
                wait, found = _Wait(found[0], frame, found[1]), None
            if code.co_flags & inspect.CO_GENERATOR and code.co_name != "<genexpr>":
                inner = inner or frame
                found = (inner, is_modelled)
        frame = frame.f_back
    if wait is not None and not is_loaded:
        _note(tape, wait)


def _note(tape: Tape, wait: _Wait) -> None:
    place = tape.code.place(wait.consumer)
    line = tape.code.place(wait.generator)
    if place is None or line is None:
        return
    tape.note(NAME, place)
    detail = tape.detail(NAME, place)
    ticks = tape.ticks
    detail.setdefault("first", ticks)
    detail["last"] = ticks
    detail["modelled"] = detail.get("modelled", 0) + wait.is_modelled
    lines = detail.setdefault("lines", {})
    key = f"{line.line} {line.function} {line.file}"
    if key in lines or len(lines) < MOST_LINES:
        lines[key] = lines.get(key, 0) + 1


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines of generators for which steps wait."""
    for seen in trace.observations:
        if seen.kind != NAME or seen.count < FEWEST_SAMPLES:
            continue
        detail = seen.detail
        is_training = detail["last"] - detail["first"] >= FEWEST_STEPS
        loop = _samples_of_loop(trace, seen)
        if (
            is_training
            and seen.count >= WAITING * loop
            and detail["modelled"] <= COMPUTING * seen.count
        ):
            yield _diagnosis(trace, seen, loop)


def _samples_of_loop(trace: Trace, seen: Observation) -> int:
    """How often the consumer's loop was on the stack; its line, where it stands in none."""
    first, last = loop_around(seen.file, seen.line) or (seen.line, seen.line)
    within = range(first, last + 1)
    return max(
        seen.count,
        sum(
            s.total
            for s in trace.samples
            if s.file == seen.file and s.line in within and s.function == seen.function
        ),
    )


def _diagnosis(trace: Trace, seen: Observation, loop: int) -> Diagnosis:
    lines = seen.detail["lines"]
    slowest = max(lines, key=lambda key: (lines[key], key))
    line, function, file = slowest.split(" ", 2)
    each = 1000 * seen.count * trace.interval / (seen.detail["last"] - seen.detail["first"])
    return Diagnosis(
        signal=NAME,
        cause="inefficient-data-preprocessing",
        file=file,
        line=int(line),
        function=function,
        message="the training loop waits while the next batch is prepared here",
        evidence=(
            f"{seen.count / loop:.0%} of the time of the loop at line {seen.line} goes to "
            f"`{function}`, about {each:.1f} ms for each step; {lines[slowest] / seen.count:.0%} "
            "of that to this line"
        ),
        remedy=(
            "prepare whole batches at once, or all of them before training; or let a thread, "
            "workers or a `tf.data` pipeline prepare the next batch during the step"
        ),
        share=min(1.0, seen.count / trace.sampled) if trace.sampled else 0.0,
    )
