"""A Python loop sends tiny JAX operations off one by one, outside of any `jax.jit`."""

from __future__ import annotations

import inspect
import os
import sysconfig
from collections import Counter
from collections.abc import Iterable, Sequence
from types import FrameType
from typing import Any, NamedTuple

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.program.loops import loops_at
from deepperf.dynamic.program.operation_loops import CASES, Loop
from deepperf.dynamic.recording.frame_variables import own_variables
from deepperf.dynamic.recording.places import DEEPEST, Place, place_in
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import jax_loops

NAME = "jax-dispatch"
BY_LOOKS = True
COMPILES = f"{NAME} compiles"
RULES = ("eager-loop",)
JAX = os.sep + os.path.join("jax", "_src") + os.sep
STANDARD = (sysconfig.get_paths()["stdlib"], "<frozen")
"""Where Python's own modules are, which JAX calls in turn."""
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
MOST_LINES = 6
"""Lines of the user's that are kept of what led to an operation: its loop may stand in any."""
MOST_WAYS = 8
"""Ways to one line that are told apart."""
MUCH = 0.5
"""Part of a loop's looks that are one within it for that to be the one to tell: else it is the
whole that is sent off piece by piece."""
SENDING = 0.4
"""Part of a loop's time from which on compiling it gains most of that."""


def watch(tape: Tape) -> None:
    """Look whether the main thread is in what JAX runs before its own code."""
    watched = _Watch(tape)
    tape.imports.after("jax", lambda _module: tape.at_samples(NAME, watched.look))


class _Watch:
    """What is looked at."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._looks = 0

    def look(self, frame: FrameType | None) -> None:
        code = self._tape.code
        own: list[Place] = []
        inner: list[FrameType] = []
        for _ in range(DEEPEST):
            if frame is None:
                break
            path = code.path_of(frame.f_code.co_filename)
            if path:
                own.append(place_in(path, frame))
            elif frame.f_code.co_name in COMPILING:
                # Whatever loop led here did not send anything off meanwhile.
                lines = {(one.file, one.line): one for one in code.stack(frame)}
                for one in lines.values():
                    self._tape.note(COMPILES, one)
                return
            elif not own and frame.f_code.co_name in WAITING:
                return
            elif not own and JAX in frame.f_code.co_filename:
                inner.append(frame)
            elif not own and not _is_standard(frame.f_code.co_filename):
                # A library's own line sends it off.
                return
            if own and not inner:
                return
            frame = frame.f_back
        if own:
            self._note(own[:MOST_LINES], inner)

    def _note(self, own: list[Place], inner: list[FrameType]) -> None:
        self._looks += 1
        self._tape.note(NAME, own[0])
        detail = self._tape.detail(NAME, own[0])
        lines = [[one.file, one.line] for one in own]
        ways: list[Any] = detail.setdefault("ways", [])
        known = next((way for way in ways if way["lines"] == lines), None)
        if known is not None:
            known["count"] += 1
        elif len(ways) < MOST_WAYS:
            ways.append({"lines": lines, "count": 1})
        if self._looks % MEASURED_EVERY == 0:
            sizes = [size for frame in inner for size in _sizes(frame)]
            if sizes:
                detail["measured"] = detail.get("measured", 0) + 1
                detail["elements"] = detail.get("elements", 0) + max(sizes)


def _is_standard(file: str) -> bool:
    return file.startswith(STANDARD) and "site-packages" not in file


def _sizes(frame: FrameType) -> list[int]:
    """How many elements the arrays have that a frame of JAX's knows."""
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return []
    return [
        int(value.size) for value in own_variables(frame).values() if type(value).__name__ == ARRAY
    ]


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops that spend their time on sending operations off, for what nobody knows better."""
    told = {(one.file, one.line) for one in jax_loops.diagnose(trace) if one.rule not in RULES}
    ways = [
        _Way(seen, _loops_of(way["lines"]), way["count"])
        for seen in trace.observations
        if seen.kind == NAME and _is_tiny(seen)
        for way in seen.detail.get("ways", ())
    ]
    while True:
        loop = _inmost(ways)
        if loop is None:
            return
        within = [way for way in ways if loop in way.loops]
        ways = [way for way in ways if loop not in way.loops]
        looks = sum(way.looks for way in within)
        lines = list({id(way.seen): way.seen for way in within}.values())
        measured = sum(seen.detail.get("measured", 0) for seen in lines)
        elements = sum(seen.detail.get("elements", 0) for seen in lines)
        is_told = any(file == loop.file and loop.first <= at <= loop.last for file, at in told)
        if measured and not is_told and looks >= SENDING * _looks_at(trace, loop):
            yield _diagnosis(trace, loop, within, looks, elements / measured)


class _Way(NamedTuple):
    """The loops that led to a line, the inmost first, and how often it was reached through them."""

    seen: Observation
    loops: tuple[Loop, ...]
    looks: int


def _loops_of(lines: Sequence[tuple[str, int]]) -> tuple[Loop, ...]:
    return tuple(Loop(file, *extent) for file, line in lines for extent in loops_at(file, line))


def _inmost(ways: Sequence[_Way]) -> Loop | None:
    """The inmost loop that holds much of what the largest one holds; None where all hold little."""
    looks: Counter[Loop] = Counter()
    depths: dict[Loop, int] = {}
    for way in ways:
        for depth, loop in enumerate(dict.fromkeys(way.loops)):
            looks[loop] += way.looks
            depths[loop] = max(depths.get(loop, 0), depth)
    most = max(looks.values(), default=0)
    if most < FEWEST_LOOKS:
        return None
    large = [loop for loop, count in looks.items() if count >= MUCH * most]
    return min(large, key=lambda loop: (depths[loop], loop.last - loop.first, loop.first))


def _looks_at(trace: Trace, loop: Loop) -> int:
    """How often a loop was met, or what it calls, while nothing was compiled."""
    within = range(loop.first, loop.last + 1)
    taken: Counter[str] = Counter()
    for at in trace.samples:
        if at.file == loop.file and at.line in within:
            taken[at.function] += at.total
    compiled = sum(
        seen.count
        for seen in trace.observations
        if seen.kind == COMPILES and seen.file == loop.file and seen.line in within
    )
    return max(taken.values(), default=0) - compiled


def _is_tiny(seen: Observation) -> bool:
    """Whether nothing is known of arrays that take long to compute."""
    return bool(seen.detail.get("elements", 0) <= TINY * seen.detail.get("measured", 0))


def _diagnosis(
    trace: Trace, loop: Loop, ways: Sequence[_Way], looks: int, elements: float
) -> Diagnosis:
    counts: Counter[tuple[int, str]] = Counter()
    for way in ways:
        counts[way.seen.line, way.seen.function] += way.looks
    (line, function), most = min(counts.items(), key=lambda one: (-one[1], one[0]))
    case = CASES["eager"]
    return Diagnosis(
        signal=NAME,
        cause=case.cause,
        file=loop.file,
        line=loop.first,
        function=function,
        message=case.message,
        evidence=(
            f"JAX spent {looks * trace.interval:.1f} s on dispatching operations one by one, "
            f"{most / looks:.0%} of it at line {line}; their arrays hold "
            f"{elements:,.0f} elements on average"
        ),
        remedy=(
            "put the body of the loop under `jax.jit`, or write the loop with `jax.lax.scan` or "
            "`jax.vmap`"
        ),
        share=min(1.0, looks / trace.sampled) if trace.sampled else 0.0,
        rule=case.rule,
    )
