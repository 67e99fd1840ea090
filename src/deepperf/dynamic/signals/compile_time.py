"""Compiling takes a large part of a run, however few functions are compiled."""

from __future__ import annotations

import atexit
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of, share_of_seconds, told_at
from deepperf.dynamic.recording.frames import frames_of_others, frames_that_stay
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import recompilation, retracing, unrolled_graph, unrolled_jax

NAME = "compile-time"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-initialization",)
TORCH, CACHE = f"{NAME} torch", f"{NAME} cache"
MUCH = 0.1
"""Part of the run from which on compiling is told of."""
LONG = 10.0
"""Seconds below which nobody minds: what is tried for a moment is compiled once, too."""
KEPT_FROM = 1.0
"""Seconds of one compilation from which on JAX keeps it, unless it is told otherwise."""
WHOLE = Place("", 0, "")
ONCE = "every start of the program pays that anew, so the longer it runs the less it matters"


def watch(tape: Tape) -> None:
    """Take the time of PyTorch's compilations, and see whether JAX keeps its own."""
    tape.imports.after("torch._dynamo.callback", lambda module: _listen(tape, module))
    tape.imports.after("jax", lambda module: _ask_at_end(tape, module))


def _ask_at_end(tape: Tape, jax: Any) -> None:
    def ask() -> None:
        folder = getattr(jax.config, "jax_compilation_cache_dir", None)
        if tape.active and folder:
            tape.note(CACHE, WHOLE)

    # Registered after the tape's own end, so called before it.
    atexit.register(lambda: tape.guarded(NAME, ask))


def _listen(tape: Tape, module: Any) -> None:
    handler = getattr(module, "callback_handler", None)
    if handler is None:
        return
    watched = _Watch(tape)
    handler.register_start_callback(lambda *_: tape.guarded(NAME, watched.begin))
    handler.register_end_callback(lambda *_: tape.guarded(NAME, watched.end))


class _Watch:
    """One compilation after the other; those within one are a part of it."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._began = 0.0
        self._found = 0, 0
        self._place: Place | None = None

    def begin(self) -> None:
        self._place = self._line() if self._tape.active else None
        self._began = time.perf_counter()
        self._found = _found_on_disk()

    def _line(self) -> Place | None:
        """The line that asked for it: of a backward pass on a device, which has a thread of its
        own, that at which the main one waits."""
        place = self._tape.code.place(sys._getframe(1))
        if place is not None or threading.current_thread() is threading.main_thread():
            return place
        with frames_that_stay():
            frame = frames_of_others().get(threading.main_thread().ident or 0)
            return None if frame is None else self._tape.code.place(frame)

    def end(self) -> None:
        place, self._place = self._place, None
        if place is None or not self._tape.active:
            return
        self._tape.note(TORCH, place, seconds=time.perf_counter() - self._began)
        detail = self._tape.detail(TORCH, place)
        for name, now, then in zip(("hits", "misses"), _found_on_disk(), self._found, strict=True):
            detail[name] = detail.get(name, 0) + now - then


def _found_on_disk() -> tuple[int, int]:
    """How many graphs Inductor has found among those of earlier runs, and how many it has not."""
    known = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {}).get("inductor", {})
    return known.get("fxgraph_cache_hit", 0), known.get("fxgraph_cache_miss", 0)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines at which compiling takes a large part of the run, beside what is told of functions
    that are compiled again and again and of loops that are unrolled."""
    yield from _of_jax(trace)
    yield from _of_torch(trace)
    yield from _of_tensorflow(trace)


def _of_jax(trace: Trace) -> Iterator[Diagnosis]:
    left: list[tuple[float, Observation]] = []
    for seen in _of_kind(trace, recompilation.JAX):
        named = seen.detail.get("functions", {})
        seconds = sum(entry["seconds"] for entry in named.values())
        unrolled = [one for one in _of_kind(trace, unrolled_jax.NAME) if _is_at(one, seen)]
        told = sum(one.share for one in recompilation.diagnose(_only(trace, [seen])))
        told += sum(one.share for one in unrolled_jax.diagnose(_only(trace, unrolled)))
        left.append((_share(trace, seen, seconds) - told, seen))
    large = [one for one in left if _is_much(trace, one[0])]
    for share, seen in large:
        yield _told_of_jax(trace, share, seen, seen.detail["functions"], "")
    small = [one for one in left if one not in large and one[0] > 0.0]
    share = sum(one for one, _ in small)
    if small and _is_much(trace, share):
        functions = {
            f"{name} {number}": entry
            for number, (_, seen) in enumerate(small)
            for name, entry in seen.detail["functions"].items()
        }
        _, most = max(small, key=lambda one: one[0])
        yield _told_of_jax(trace, share, most, functions, f" at {len(small):,} lines")


def _told_of_jax(
    trace: Trace, share: float, seen: Observation, functions: Mapping[str, Any], at: str
) -> Diagnosis:
    count = sum(entry["count"] for entry in functions.values())
    kinds = max((len(entry["shapes"]) for entry in functions.values()), default=0)
    is_kept = any(_of_kind(trace, CACHE))
    most = max(functions, key=lambda name: functions[name]["seconds"])
    what = f"`{most}`" if len(functions) == 1 and most else f"{len(functions):,} functions{at}"
    advice = (
        [] if is_kept else [_kept_on_disk(sum(e["seconds"] for e in functions.values()), count)]
    )
    if kinds > 1:
        advice.append("pass arrays of one shape (pad or mask them)")
    if len(functions) > 1:
        advice.append("put what belongs together into one function under `jax.jit`")
    else:
        advice.append("where equal layers follow each other, `jax.lax.scan` compiles one of them")
    return told_at(
        seen,
        signal=NAME,
        cause="graph-confusion",
        message=f"compiling {what} takes a large part of the run",
        evidence=(
            f"{count:,} {_times(count)} took {share * trace.work_seconds:.1f} s; "
            + ("JAX keeps them on disk, for later starts" if is_kept else ONCE)
        ),
        remedy="; ".join(advice),
        share=share,
    )


def _kept_on_disk(seconds: float, count: int) -> str:
    kept = 'jax.config.update("jax_compilation_cache_dir", folder)'
    each = seconds / max(1, count)
    also = ", and `jax_persistent_cache_min_compile_time_secs` to 0" if each < KEPT_FROM else ""
    return f"keep what is compiled for the next start: `{kept}`{also}"


def _of_torch(trace: Trace) -> Iterator[Diagnosis]:
    all_seen = [*_of_kind(trace, TORCH)]
    whole = sum(share_of_seconds(trace, seen.seconds) for seen in all_seen)
    again = [*_of_kind(trace, recompilation.TORCH)]
    told = sum(one.share for one in recompilation.diagnose(_only(trace, again)))
    for seen in all_seen:
        share = _share(trace, seen, seen.seconds) * max(0.0, 1.0 - told / (whole or 1.0))
        if not _is_much(trace, share):
            continue
        hits, misses = seen.detail.get("hits", 0), seen.detail.get("misses", 0)
        found = f", though {hits:,} of {hits + misses:,} graphs were found on disk" if hits else ""
        yield told_at(
            seen,
            signal=NAME,
            cause="graph-confusion",
            message="compiling with PyTorch takes a large part of the run",
            evidence=(
                f"{seen.count:,} {_times(seen.count)} took {share * trace.work_seconds:.1f} s"
                f"{found}; {ONCE}"
            ),
            remedy=(
                "leave compiling out of short runs and tests"
                + (
                    "; later runs find graphs on disk if TORCHINDUCTOR_CACHE_DIR, by default in "
                    "the temporary folder, stays"
                    if misses
                    else ""
                )
            ),
            share=share,
        )


def _of_tensorflow(trace: Trace) -> Iterator[Diagnosis]:
    for seen in _of_kind(trace, retracing.NAME):
        named = seen.detail.get("functions", {})
        asked = [
            one
            for one in _of_kind(trace, unrolled_graph.NAME)
            if one.detail.get("asked") == [seen.file, seen.line]
        ]
        told = sum(one.share for one in retracing.diagnose(_only(trace, [seen])))
        told += sum(one.share for one in unrolled_graph.diagnose(_only(trace, asked)))
        seconds = sum(entry["seconds"] for entry in named.values())
        share = _share(trace, seen, seconds) - told
        if not _is_much(trace, share):
            continue
        traces = sum(entry["traces"] for entry in named.values())
        yield told_at(
            seen,
            signal=NAME,
            cause="graph-confusion",
            message="building graphs takes a large part of the run",
            evidence=(
                f"{traces:,} traces of {len(named):,} functions took "
                f"{share * trace.work_seconds:.1f} s; {ONCE}"
            ),
            remedy=(
                "call the functions with few kinds of arguments, and repeat what is equal inside "
                "the graph, with `tf.range`, `tf.scan` or `tf.vectorized_map`, instead of in Python"
            ),
            share=share,
        )


def _times(count: int) -> str:
    return "compilation" if count == 1 else "compilations"


def _share(trace: Trace, seen: Observation, seconds: float) -> float:
    """The share that compiling at a line took: stages within each other are told twice."""
    there = share_of(trace, seen.file, seen.line)
    return min(share_of_seconds(trace, seconds), there) if trace.sampled else 0.0


def _is_much(trace: Trace, share: float) -> bool:
    return share >= MUCH and share * trace.work_seconds >= LONG


def _of_kind(trace: Trace, kind: str) -> Iterator[Observation]:
    return (seen for seen in trace.observations if seen.kind == kind)


def _is_at(one: Observation, other: Observation) -> bool:
    return (one.file, one.line) == (other.file, other.line)


def _only(trace: Trace, seen: Iterable[Observation]) -> Trace:
    return replace(trace, observations=tuple(seen))
