"""A Python loop sends tiny JAX operations off one by one, outside of any `jax.jit`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from types import FrameType

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.program.loops import loop_around
from deepperf.dynamic.program.operation_loops import CASES
from deepperf.dynamic.recording.frame_variables import own_variables
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "jax-dispatch"
RULES = ("eager-loop",)
JAX = os.sep + os.path.join("jax", "_src") + os.sep
COMPILING = frozenset(("cache_miss", "trace_to_jaxpr_dynamic", "backend_compile_and_load"))
"""What JAX calls when it traces or compiles: that is done once, and told by another signal."""
WAITING = frozenset(
    (
        "_value",
        "__array__",
        "__float__",
        "__int__",
        "__bool__",
        "item",
        "tolist",
        "__format__",
        "__index__",
        "__str__",
        "__repr__",
        "block_until_ready",
    )
)
"""Where JAX waits for what was sent off: that is the computing itself."""
ARRAY = "ArrayImpl"
MEASURED_EVERY = 4
"""Looks for one at the sizes of the arrays that JAX is given."""
TINY = 16_384
"""Elements up to which an operation on a processor takes less than it takes to send it off."""
FEWEST_LOOKS = 25
"""Half a second: less is setting up."""
SENDING = 0.4
"""Part of a loop's time from which on compiling it gains most of that."""


def watch(tape: Tape) -> None:
    """Look whether the main thread is in what JAX runs before its own code."""
    watched = _Watch(tape)
    tape.imports.after("jax", lambda _module: tape.at_samples(NAME, watched.look))


class _Watch:
    """Runs in the sampler's thread."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._looks = 0

    def look(self, frame: FrameType | None) -> None:
        if frame is None or JAX not in frame.f_code.co_filename:
            return
        code = self._tape.code
        own: list[Place] = []
        inner: list[FrameType] = []
        for _ in range(DEEPEST):
            if frame is None:
                break
            path = code.path_of(frame.f_code.co_filename)
            if path:
                own.append(Place(path, frame.f_lineno, frame.f_code.co_name))
            elif frame.f_code.co_name in COMPILING or (not own and frame.f_code.co_name in WAITING):
                return
            elif not own:
                if JAX not in frame.f_code.co_filename:
                    # A library's own line sends it off.
                    return
                inner.append(frame)
            frame = frame.f_back
        if own:
            self._note(own, inner)

    def _note(self, own: list[Place], inner: list[FrameType]) -> None:
        self._looks += 1
        self._tape.note(NAME, own[0])
        detail = self._tape.detail(NAME, own[0])
        if len(own) > 1:
            detail["outer"] = list(own[1])
        if self._looks % MEASURED_EVERY == 0:
            sizes = [size for frame in inner for size in _sizes(frame)]
            if sizes:
                detail["measured"] = detail.get("measured", 0) + 1
                detail["elements"] = detail.get("elements", 0) + max(sizes)


def _sizes(frame: FrameType) -> list[int]:
    """How many elements the arrays have that a frame of JAX's knows."""
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return []
    return [
        int(value.size) for value in own_variables(frame).values() if type(value).__name__ == ARRAY
    ]


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops that spend their time on sending operations off."""
    loops: dict[tuple[str, int, int], list[Observation]] = {}
    for seen in trace.observations:
        if seen.kind == NAME and _is_tiny(seen):
            loop = _loop_of(seen)
            if loop is not None:
                loops.setdefault(loop, []).append(seen)
    for (file, first, last), lines in loops.items():
        looks = sum(seen.count for seen in lines)
        measured = sum(seen.detail.get("measured", 0) for seen in lines)
        elements = sum(seen.detail.get("elements", 0) for seen in lines)
        within = range(first, last + 1)
        total = max(
            sum(
                s.total
                for s in trace.samples
                if s.file == file and s.line in within and s.function == function
            )
            for function in {s.function for s in trace.samples if s.file == file} or {""}
        )
        if looks >= FEWEST_LOOKS and measured and looks >= SENDING * total:
            yield _diagnosis(trace, file, first, lines, elements / measured)


def _is_tiny(seen: Observation) -> bool:
    """Whether nothing is known of arrays that take long to compute."""
    return bool(seen.detail.get("elements", 0) <= TINY * seen.detail.get("measured", 0))


def _loop_of(seen: Observation) -> tuple[str, int, int] | None:
    loop = loop_around(seen.file, seen.line)
    if loop is not None:
        return seen.file, *loop
    if "outer" in seen.detail:
        file, line, _ = seen.detail["outer"]
        loop = loop_around(file, line)
        return None if loop is None else (file, *loop)
    return None


def _diagnosis(
    trace: Trace, file: str, first: int, lines: list[Observation], elements: float
) -> Diagnosis:
    looks = sum(seen.count for seen in lines)
    busiest = max(lines, key=lambda seen: (seen.count, -seen.line))
    case = CASES["eager"]
    return Diagnosis(
        signal=NAME,
        cause=case.cause,
        file=file,
        line=first,
        function=busiest.function,
        message=case.message,
        evidence=(
            f"JAX spent {looks * trace.interval:.1f} s on sending operations off one by one, "
            f"{busiest.count / looks:.0%} of it at line {busiest.line}; their arrays hold "
            f"{elements:,.0f} elements on average"
        ),
        remedy=(
            "put the loop's body into a function under `jax.jit`, or the whole loop into "
            "`jax.lax.scan` or `jax.vmap`"
        ),
        share=min(1.0, looks / trace.sampled) if trace.sampled else 0.0,
        rule=case.rule,
    )
