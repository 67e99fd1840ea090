"""How long a run waited for tf.data pipelines, told from its trace, and at which of their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deepperf.dynamic.program.loops import loop_around
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.trace import Observation, Trace

IN_LOOP = "dataset-wait loop"
"""Looks that found the main thread asking an iterator for its next element."""
IN_MODEL = "dataset-wait model"
"""Looks that found it in a method of a model, which asks inside of TensorFlow."""
WATCHED = "dataset-wait watched"
"""What short windows showed of either."""
PYTHON = "dataset-wait python"
"""Looks that found another thread in Python code that makes elements."""
WAITING = 0.2
"""Part of the steps' time from which on waiting is worth a change; TensorFlow's own profiler calls
a step that waits so long highly bound by its input."""
LEAST_EACH = 1e-3
"""Seconds that a step must wait: handing over an element that is ready takes some tenths of a
millisecond by itself."""
FEWEST_TURNS = 3
"""Turns that windows must have seen: one may be the first of an epoch, which fills buffers."""
FEWEST_LOOKS = 10
"""Looks that found a loop waiting: a share told by fewer is off by a third."""
FEWEST_STEPS = 10
"""Steps of a loop: fewer are a look at a few examples."""
COMPUTING = 0.3
"""Part of a loop's time that is not waiting from which on it has work of its own, even where no
step is told: else it is there to make the elements."""
SERIAL = "Generator"
"""What the runtime calls a stage that asks a Python generator, one element after the other."""
BUSY = 0.9
"""Part of the time from which on a generator never has to stop for a full buffer. Its steps keep
its pace then, even if what they wait for is not the element but the interpreter that makes it."""
IN_PYTHON = 0.5
"""Part of the slowest stage's time from which on Python functions are what it waits for."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Steps that wait: at which line they ask, for how much of their time and of the run's.

    `made` is where the slowest stage was made, `slow` the line that is best named, `stage` the
    runtime's word for the stage; `basis` says how it is known.
    """

    asked: Place
    part: float
    share: float
    basis: str
    slow: Place
    made: Place | None
    stage: str
    is_python: bool


def waits_in(trace: Trace) -> Iterator[Wait]:
    """The lines at which steps wait for so long that a change is worth it."""
    watched = {(o.file, o.line): o for o in trace.observations if o.kind == WATCHED}
    for seen in trace.observations:
        window = watched.get((seen.file, seen.line))
        if seen.kind == IN_LOOP:
            told = _of_loop(trace, seen)
        elif seen.kind == IN_MODEL:
            told = _of_model(seen, window)
        else:
            continue
        if told is None or not trace.sampled or told[0] < WAITING:
            continue
        part, looks, basis = told
        wait = _wait(trace, seen, window, part, looks / trace.sampled, basis)
        # What Keras itself makes of an array is not the program's to change.
        if seen.kind == IN_LOOP or wait.made is not None or wait.is_python:
            yield wait


def _of_loop(trace: Trace, seen: Observation) -> tuple[float, float, str] | None:
    if seen.count < FEWEST_LOOKS:
        return None
    first, last = loop_around(seen.file, seen.line) or (seen.line, seen.line)
    # What else the header does, it does once: it makes the pipeline.
    body = sum(
        s.total
        for s in trace.samples
        if s.file == seen.file and first <= s.line <= last and s.function == seen.function
        if s.line != seen.line
    )
    part = seen.count / (body + seen.count)
    steps = seen.detail["last"] - seen.detail["first"]
    if steps < FEWEST_STEPS and 1.0 - part < COMPUTING:
        return None
    if seen.count * trace.interval < LEAST_EACH * steps:
        return None
    return part, float(seen.count), f"for elements, {seen.count * trace.interval:.1f} s in all"


def _of_model(seen: Observation, window: Observation | None) -> tuple[float, float, str] | None:
    if window is None or window.detail["turns"] < FEWEST_TURNS or not window.seconds:
        return None
    detail = window.detail
    turns, waited = detail["turns"], detail["waited"]
    if detail.get("slowest") == SERIAL and detail["own"] >= BUSY * window.seconds:
        computed = max(0.0, detail["executed"] - waited)
        waited = max(waited, window.seconds - computed)
    if waited < LEAST_EACH * turns:
        return None
    part = waited / window.seconds
    each, whole = 1000 * waited / turns, 1000 * window.seconds / turns
    return part, part * seen.count, f"({each:.1f} of {whole:.1f} ms each, in {turns} watched)"


def _wait(
    trace: Trace,
    seen: Observation,
    window: Observation | None,
    part: float,
    share: float,
    basis: str,
) -> Wait:
    asked = Place(seen.file, seen.line, seen.function)
    detail = {} if window is None else window.detail
    made = Place(*detail["made"]) if detail.get("made") else None
    own, python = detail.get("own", 0.0), detail.get("python", 0.0)
    lines = [o for o in trace.observations if o.kind == PYTHON]
    busiest = max(lines, key=lambda o: (o.count, -o.line), default=None)
    stage = str(detail.get("slowest", ""))
    is_python = bool(python and python >= IN_PYTHON * own) or (window is None and bool(lines))
    is_python = is_python or (stage == SERIAL and bool(lines))
    slow = made or asked
    if is_python and busiest is not None:
        slow = Place(busiest.file, busiest.line, busiest.function)
    return Wait(asked, part, min(1.0, share), basis, slow, made, stage, is_python)
