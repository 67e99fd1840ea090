"""A function of JAX or of `torch.compile` is recompiled repeatedly, or breaks into pieces."""

from __future__ import annotations

import atexit
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.frameworks.jax_work import work_of
from deepperf.dynamic.program.compiling import compiled_at
from deepperf.dynamic.program.growing import grows_at
from deepperf.dynamic.recording.places import DEEPEST, Place, UserCode
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace

NAME = "recompilation"
GROWING = "growing-array"
RULES = ("compiled-per-call", GROWING, "retracing")
EXPLAINS_GROWTH = True
JAX, TORCH, BREAK = f"{NAME} jax", f"{NAME} torch", f"{NAME} break"
FEWEST_COMPILED = 5
"""Compilations of one function from one line by JAX: training, evaluation and a last, shorter
batch take three."""
FEWEST_OF_LIBRARY = 24
"""The same for functions of JAX or of a library that a line of the user's calls: where a model is
made, an initializer is compiled for the shapes of each of its layers."""
LIMIT = "recompile limit"
"""What PyTorch says where it compiles a function no more."""
FEWEST_AGAIN = 3
"""Compilations of one function by torch.compile: the second makes changing sizes dynamic."""
COMPILED = "/jax/core/compile/backend_compile_duration"
BEFORE = ("/jax/core/compile/jaxpr_trace_duration", "/jax/core/compile/jaxpr_to_mlir")
CALLING = "cache_miss"
"""What JAX runs where a compiled function is called with what it has not met."""
MOST_FUNCTIONS = 40
"""Functions told apart at one line."""
MOST_SHAPES = 40
"""Kinds of arguments told apart of one function."""
COMPILING = ("api", "compiler", "dispatch", "monitoring", "pjit", "profiler", "traceback_util")
"""Modules of JAX that stand between a compiled function and its caller."""
STACKED = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')
"""How PyTorch names a line of the stack at which it read what it compiled for."""
READ_AT = re.compile(r"\bself\b[^#]*#.*# (\S+\.py):(\d+) in (\w+)", re.DOTALL)
"""How it names the line that read an attribute, of a file by the end of its path."""
LONGEST_TEXT = 160
SIMPLE = (bool, int, float, str, type(None))
"""Values that are told by what they are; others by their hash, which JAX asks for as well."""
NEAREST_FRAMES = 12
"""Frames in which JAX knows the shapes of what it compiles."""


def watch(tape: Tape) -> None:
    """Listen to JAX's compilations, and ask torch for its own when the program ends."""
    tape.imports.after("jax", lambda _module: _listen(tape))
    tape.imports.after("torch._dynamo.utils", lambda module: _ask_at_end(tape, module))


def _listen(tape: Tape) -> None:
    monitoring = sys.modules.get("jax.monitoring") or sys.modules.get("jax._src.monitoring")

    def hear(event: str, seconds: float, **named: Any) -> None:
        if tape.active and (event == COMPILED or event.startswith(BEFORE)):
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: _note(tape, event, seconds, named, frame))

    if monitoring is not None:
        monitoring.register_event_duration_secs_listener(hear)


def _note(
    tape: Tape, event: str, seconds: float, named: dict[str, Any], frame: FrameType | None
) -> None:
    place = tape.code.place(frame)
    if place is None:
        return
    functions = tape.detail(JAX, place).setdefault("functions", {})
    name = str(named.get("fun_name", "")).removeprefix("jit(").removesuffix(")")
    name = name.removeprefix("jit_")
    if name not in functions and len(functions) >= MOST_FUNCTIONS:
        return
    entry = functions.get(name)
    if entry is None:
        entry = functions[name] = {"count": 0, "seconds": 0.0, "shapes": [], "library": False}
        entry.update(told=0, work=0.0)
    entry["seconds"] += seconds
    if event == COMPILED:
        entry["count"] += 1
        entry["work"] = max(entry["work"], work_of(frame))
        entry["library"] = entry["library"] or is_of_library(tape.code, frame)
        if len(entry["shapes"]) < MOST_SHAPES:
            shapes = _shapes(frame)
            entry["told"] += 1
            for argument, value in _static_values(frame, name):
                known = entry.setdefault("static", {}).setdefault(argument, [])
                if value not in known:
                    known.append(value)
            if shapes not in entry["shapes"]:
                entry["shapes"].append(shapes)


def is_of_library(code: UserCode, frame: FrameType | None) -> bool:
    """Whether the user's line called something that, further in, called what is compiled."""
    while frame is not None and not code.path_of(frame.f_code.co_filename):
        parts = frame.f_code.co_filename.replace("\\", "/").split("/")
        name = parts[-1].removesuffix(".py")
        is_of_jax = "jax" in parts and "_src" in parts
        if not is_of_jax or not (name in COMPILING or "interpreters" in parts):
            return True
        frame = frame.f_back
    return False


def _shapes(frame: FrameType | None) -> str:
    for _ in range(NEAREST_FRAMES):
        if frame is None:
            return ""
        known = frame.f_locals.get("global_in_avals")
        if known is not None:
            text = ", ".join(str(one) for one in known)
            # Of many parameters, what differs may come last.
            return f"{text[:LONGEST_TEXT]} {zlib.crc32(text.encode())}"
        frame = frame.f_back
    return ""


def _static_values(frame: FrameType | None, name: str) -> Iterator[tuple[str, str]]:
    """The static arguments that a function is compiled for, and what tells their values apart."""
    for _ in range(DEEPEST):
        if frame is None:
            return
        if frame.f_code.co_name == CALLING:
            known = frame.f_locals
            info = known.get("jit_info")
            if str(getattr(info, "fun_sourceinfo", "")).split(" ")[0] == name:
                yield from _static_of(info, known["args"], known["kwargs"])
                return
        frame = frame.f_back


def _static_of(info: Any, arguments: Any, named: Any) -> Iterator[tuple[str, str]]:
    if info.fun_signature is None:
        return
    names = list(info.fun_signature.parameters)
    static = {names[number] for number in info.static_argnums if number < len(names)}
    static |= set(info.static_argnames)
    for name, value in info.fun_signature.bind_partial(*arguments, **named).arguments.items():
        if name in static:
            yield name, repr(value)[:40] if isinstance(value, SIMPLE) else str(hash(value))


def _ask_at_end(tape: Tape, module: ModuleType) -> None:
    # Registered after the tape's own end, so called before it.
    atexit.register(lambda: tape.guarded(NAME, lambda: _collect(tape, module)))


def _collect(tape: Tape, module: Any) -> None:
    if not tape.active:
        return
    places: dict[str, Place] = {}
    for metrics in module.get_compilation_metrics():
        place = compiled_place(tape.code, metrics)
        frame = str(metrics.compile_id).partition("/")[0]
        if LIMIT in (metrics.fail_reason or "") and frame in places:
            tape.detail(TORCH, places[frame])["limit"] = True
        elif place is not None and metrics.is_forward is not False:
            places[frame] = place
            tape.note(TORCH, place, seconds=metrics.entire_frame_compile_time_s or 0.0)
            if metrics.recompile_reason:
                reasons = tape.detail(TORCH, place).setdefault("reasons", [])
                reasons.append(_line_of(metrics.recompile_reason))
    for broken in module.graph_break_reasons:
        for entry in reversed(broken.user_stack):
            path = tape.code.path_of(entry.filename)
            if path:
                place = Place(path, entry.lineno or 0, entry.name)
                tape.note(BREAK, place, detail={"reason": _line_of(broken.reason)})
                break


def compiled_place(code: UserCode, metrics: Any) -> Place | None:
    """The user's function that was compiled, or the line that had a library's compiled again, since
    it reads what has changed."""
    path = code.path_of(metrics.co_filename) if metrics.co_filename else ""
    if path:
        for end, line, function in READ_AT.findall(metrics.recompile_reason or "")[:1]:
            if is_end_of(path, end):
                return Place(path, int(line), function)
        return Place(path, metrics.co_firstlineno or 0, metrics.co_name or "")
    for file, line, function in reversed(STACKED.findall(metrics.recompile_reason or "")):
        path = code.path_of(file)
        if path:
            return Place(path, int(line), function)
    return None


def is_end_of(path: str, end: str) -> bool:
    """Whether PyTorch may have told this path by this end of it. It leaves out what the path shares
    with its own, and where that is only the root, the first letter after it, too."""
    path, end = path.replace("\\", "/"), end.replace("\\", "/")
    return path.endswith(end if "/" in end else f"/{end}")


def _line_of(reason: Any) -> str:
    lines = [" ".join(line.split()) for line in str(reason).splitlines() if line.strip()]
    return lines[0][:160] if lines else ""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """What was compiled too often, and what broke."""
    for seen in trace.observations:
        if seen.kind == JAX:
            for name, entry in seen.detail.get("functions", {}).items():
                fewest = FEWEST_OF_LIBRARY if entry.get("library") else FEWEST_COMPILED
                grown = _grown(seen, entry) if entry["count"] >= FEWEST_COMPILED else ""
                if grown:
                    yield _of_growing(trace, seen, grown, entry)
                elif entry["count"] >= fewest:
                    yield _of_jax(trace, seen, name, entry)
        elif seen.kind == TORCH and seen.count >= FEWEST_AGAIN and seen.detail.get("reasons"):
            yield _of_torch(trace, seen)
        elif seen.kind == BREAK:
            yield _of_break(seen)


def _grown(seen: Observation, entry: Any) -> str:
    """The array that a line joins with more each time, for which a function of JAX is compiled
    anew each time."""
    is_new_each_time = len(entry["shapes"]) == entry["told"]
    return grows_at(seen.file, seen.line) if entry["library"] and is_new_each_time else ""


def _of_growing(trace: Trace, seen: Observation, name: str, entry: Any) -> Diagnosis:
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{name}` gets longer each time, and what joins it is compiled for each length",
        evidence=f"{entry['count']:,} compilations took {entry['seconds']:.2f} s",
        remedy="collect the parts in a list, and join them once after the loop",
        share=share_of_seconds(trace, entry["seconds"]),
        rule=GROWING,
    )


def _of_jax(trace: Trace, seen: Observation, name: str, entry: Any) -> Diagnosis:
    by_shape = len(entry["shapes"]) * 2 > entry["told"]
    made = None if by_shape else compiled_at(seen.file, seen.line)
    shapes = len(entry["shapes"])
    too = f"; arrays came in {shapes:,} kinds of shapes, each compiled anyway" if shapes > 1 else ""
    if made is not None:
        return told_at(
            Place(seen.file, made, seen.function),
            signal=NAME,
            cause="graph-confusion",
            message=f"`{name}` is created and compiled again in every call",
            evidence=f"{entry['count']:,} compilations took {entry['seconds']:.2f} s{too}",
            remedy="compile the function once, outside the loop, and pass what changes to it"
            + ("; pad the arrays to one shape, too" if too else ""),
            share=share_of_seconds(trace, entry["seconds"]),
            rule="compiled-per-call",
        )
    argument, values = _varying(entry)
    if not by_shape and argument:
        return told_at(
            seen,
            signal=NAME,
            cause="graph-confusion",
            message=f"`{name}` is compiled again for each new value of its static `{argument}`",
            evidence=(
                f"{entry['count']:,} compilations took {entry['seconds']:.2f} s; of the first "
                f"{entry['told']:,}, {values:,} had another value"
                + (f", and arrays came in {shapes:,} kinds of shapes" if shapes > 1 else "")
            ),
            remedy=(
                f"take `{argument}` off the static arguments; where shapes depend on it, allow "
                "only a few values, and pad or mask"
                + ("; pad the arrays to one shape, too" if shapes > 1 else "")
            ),
            share=share_of_seconds(trace, entry["seconds"]),
            rule="retracing",
        )
    return told_at(
        seen,
        signal=NAME,
        cause="graph-confusion",
        message=(
            f"`{name}` is compiled again for each new shape"
            if by_shape
            else f"`{name}` is compiled again for arguments of the same shapes"
        ),
        evidence=(
            f"{entry['count']:,} compilations for "
            f"{'at least ' if len(entry['shapes']) == MOST_SHAPES else ''}"
            f"{len(entry['shapes']):,} kinds of arguments took {entry['seconds']:.2f} s"
        ),
        remedy=(
            "pass arrays of one shape (pad or mask them), or of a few shapes"
            if by_shape
            else "compile the function once, outside the loop, and make what changes a non-static "
            "argument"
        ),
        share=share_of_seconds(trace, entry["seconds"]),
        rule="retracing",
    )


def _varying(entry: Any) -> tuple[str, int]:
    """The static argument whose values explain most of the compilations, and how many it had; ""
    where none does."""
    counts = {name: len(values) for name, values in entry.get("static", {}).items()}
    name = max(counts, key=lambda one: (counts[one], one), default="")
    return (name, counts[name]) if name and counts[name] * 2 > entry["told"] else ("", 0)


def _of_torch(trace: Trace, seen: Observation) -> Diagnosis:
    given_up = ", until PyTorch gives up and runs it eagerly" if seen.detail.get("limit") else ""
    return told_at(
        seen,
        signal=NAME,
        cause="graph-confusion",
        message=f"`{seen.function}` is recompiled repeatedly{given_up}",
        evidence=(
            f"{seen.count:,} compilations took {seen.seconds:.2f} s; the last since "
            f"{seen.detail['reasons'][-1]}"
        ),
        remedy="keep what changes out of it, or use `dynamic=True` for changing sizes",
        share=share_of_seconds(trace, seen.seconds),
        rule="retracing",
    )


def _of_break(seen: Observation) -> Diagnosis:
    times = f"in {seen.count:,} compilations: " if seen.count > 1 else ""
    return told_at(
        seen,
        signal=NAME,
        cause="graph-confusion",
        message="graph break in a compiled function",
        evidence=times + seen.detail.get("reason", ""),
        remedy="move the code that cannot be compiled out of the function",
        weight=Weight.HINT,
    )
