"""A Python loop was unrolled into what JAX compiles: the same operations, many times."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType
from typing import Any, TypeAlias

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.frameworks.jax_work import traced_in
from deepperf.dynamic.program.loops import loops_at
from deepperf.dynamic.recording.places import Place, UserCode
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "unrolled-jax"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-initialization",)
COMPILED = "/jax/core/compile/backend_compile_duration"
STAGES = "/jax/core/compile/"
"""How the events begin that tell how long tracing, lowering and compiling took."""
SMALL = 300
"""Operations of a function below which nothing of it was unrolled at length."""
LOOKED_AT = 1000
"""Operations whose lines are asked for; of larger functions, every second, third, …"""
FEWEST_TURNS = 40
"""Turns of a loop: deep networks repeat a block some dozen times."""
At: TypeAlias = tuple[str, int]
"""The file and the first line of a loop."""
MOST_WAYS = 60
MOST_LINES = 6
"""Lines of the user's that are kept of what led to an operation."""


def watch(tape: Tape) -> None:
    """Look at each large function that JAX compiles."""
    tape.imports.after("jax", lambda _module: _listen(tape))


def _listen(tape: Tape) -> None:
    monitoring = sys.modules.get("jax.monitoring") or sys.modules.get("jax._src.monitoring")
    watched = _Watch(tape)

    def hear(event: str, seconds: float, **_named: Any) -> None:
        if tape.active and event.startswith(STAGES):
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: watched.take(event, seconds, frame))

    if monitoring is not None:
        monitoring.register_event_duration_secs_listener(hear)


class _Watch:
    """Adds up what came before a compilation ended."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._seconds = 0.0

    def take(self, event: str, seconds: float, frame: FrameType | None) -> None:
        """A stage has ended; the last of a function is its compilation."""
        self._seconds += seconds
        if event != COMPILED:
            return
        spent, self._seconds = self._seconds, 0.0
        equations = getattr(traced_in(frame), "eqns", ())
        place = self._tape.code.place(frame) if len(equations) >= SMALL else None
        if place is not None:
            self._tape.note(NAME, place, seconds=spent)
            detail = self._tape.detail(NAME, place)
            if len(equations) > detail.get("all", 0):
                detail.update(all=len(equations), ways=_ways(self._tape.code, equations))


def _ways(code: UserCode, equations: Any) -> list[dict[str, Any]]:
    """The user's lines that led to operations, and how many of which kinds each way made."""
    step = -(-len(equations) // LOOKED_AT)
    found: dict[tuple[tuple[str, int], ...], Counter[str]] = {}
    for equation in equations[::step]:
        traceback = getattr(getattr(equation, "source_info", None), "traceback", None)
        if traceback is not None:
            frames = ((code.path_of(one.file_name), one.start_line) for one in _frames(traceback))
            lines = tuple((file, line) for file, line in frames if file)[:MOST_LINES]
            found.setdefault(lines, Counter())[equation.primitive.name] += step
    ranked = sorted(found.items(), key=lambda one: -one[1].total())[:MOST_WAYS]
    return [{"lines": list(map(list, lines)), "kinds": dict(kinds)} for lines, kinds in ranked]


def _frames(traceback: Any) -> Iterable[Any]:
    """The frames of one of JAX's own tracebacks, the innermost first."""
    util: Any = sys.modules["jax._src.source_info_util"]
    frames: Iterable[Any] = util.user_frames(traceback)
    return frames


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The loops whose turns fill what is compiled."""
    for seen in trace.observations:
        if seen.kind == NAME:
            yield from _of_loops(trace, seen)


def _of_loops(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    inmost: dict[At, list[Counter[str]]] = {}
    around: dict[At, tuple[At, ...]] = {}
    for way in seen.detail.get("ways", ()):
        loops = _loops_of(way["lines"])
        if loops:
            inmost.setdefault(loops[0], []).append(Counter(way["kinds"]))
            around[loops[0]] = max(around.get(loops[0], ()), loops, key=len)
    turns = {loop: _turns(kinds) for loop, kinds in inmost.items()}
    made: Counter[At] = Counter()
    for loop, kinds in inmost.items():
        if turns[loop] >= FEWEST_TURNS:
            made[_unrolled_most(around[loop], turns)] += sum(one.total() for one in kinds)
    for loop, kinds in inmost.items():
        # What such a loop does itself comes on top of what loops within it do.
        if loop in made and turns[loop] < FEWEST_TURNS:
            made[loop] += sum(one.total() for one in kinds)
    for (file, line), count in made.items():
        part = min(1.0, count / seen.detail["all"])
        yield told_at(
            Place(file, line, seen.function),
            signal=NAME,
            cause="graph-confusion",
            message="a Python loop is unrolled into the code that JAX compiles",
            evidence=(
                f"about {count:,} of {seen.detail['all']:,} operations are from its iterations; "
                f"tracing and compiling them took {seen.seconds:.2f} s"
            ),
            remedy=(
                "loop inside JAX with `jax.lax.scan` or `jax.lax.fori_loop`, or replace the "
                "loop by one operation or `jax.vmap`"
            ),
            share=share_of_seconds(trace, part * seen.seconds),
        )


def _loops_of(lines: Iterable[tuple[str, int]]) -> tuple[At, ...]:
    """The loops around what led to an operation, the innermost first."""
    found: list[At] = []
    for file, line in lines:
        found += [(file, first) for first, _ in loops_at(file, line)]
    return tuple(dict.fromkeys(found))


def _unrolled_most(loops: Sequence[At], turns: Mapping[At, int]) -> At:
    """Of loops within each other, the innermost first, the one with the most turns of its own: a
    few layers within many steps are passed as often as the steps, times the layers."""
    known = [loop for loop in loops if turns.get(loop)]
    own = {
        loop: turns[loop] / turns[outer] if outer is not None else turns[loop]
        for loop, outer in zip(known, [*known[1:], None], strict=True)
    }
    return max(own, key=lambda loop: own[loop])


def _turns(ways: Iterable[Counter[str]]) -> int:
    """About how many turns made these: of three in four operations there are at least as many of
    the same kind at the same line. What is done before a loop, or in a turn or two, is few."""
    counts = sorted(count for kinds in ways for count in kinds.values())
    passed, whole = 0, sum(counts)
    for count in counts:
        passed += count
        if 4 * passed >= whole:
            return count
    return 0
