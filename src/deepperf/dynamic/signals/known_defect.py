"""A call meets a known defect of the framework release that is loaded, and costs what it is known
to cost."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_of_seconds, told_at
from deepperf.dynamic.recording.clock import resident_bytes
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for
from deepperf.knowledge.defects import Condition, Defect, known_defects

NAME = "known-defect"
RULES = ("buggy-version",)
WARM = 3
"""Calls that set up what later ones find: their memory and time are no growth."""
FEWEST_CALLS = 8
"""Calls of a repeated one, of which a growth can be told."""
SLOWER = 1.5
"""How many times as long the last calls take as the early ones before it is called slower."""


def watch(tape: Tape) -> None:
    """Listen to the calls that have a defect in the version that is loaded; mostly there are
    none."""
    for framework in sorted({defect.framework for defect in known_defects()}):
        tape.imports.after(framework, functools.partial(_listen, tape, framework))


def _listen(tape: Tape, framework: str, module: ModuleType) -> None:
    version = str(getattr(module, "__version__", ""))
    for defect in known_defects():
        # What forks meet cannot be told from the calls before.
        if (
            defect.framework == framework
            and Condition.BEFORE_FORK not in defect.conditions
            and _has(version, defect)
        ):
            for name in defect.callables:
                _wrap(tape, module, name, defect, version)


def _has(version: str, defect: Defect) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        ours = Version(version)
        return Version(defect.since) <= ours and (not defect.until or ours < Version(defect.until))
    except InvalidVersion:
        return False


def _wrap(tape: Tape, module: ModuleType, name: str, defect: Defect, version: str) -> None:
    root, *path, last = name.split(".")
    holder: Any = module if root == module.__name__ else getattr(module, root, None)
    for part in path:
        holder = getattr(holder, part, None)
    call: Callable[..., Any] | None = getattr(holder, last, None)
    if call is None:
        return
    kind = f"{NAME} {defect.id}"

    @standing_for(call)
    def watched(*arguments: Any, **named: Any) -> Any:
        if not tape.active or not _meets(defect, arguments, named):
            return call(*arguments, **named)
        place = tape.code.caller()
        begin = time.perf_counter()
        try:
            return call(*arguments, **named)
        finally:
            seconds = time.perf_counter() - begin
            if place is not None:
                told = f"{last} of {module.__name__} {version}"
                tape.guarded(NAME, lambda: _note(tape, kind, place, told, seconds))

    setattr(holder, last, watched)


def _meets(defect: Defect, arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    given = [*arguments, *named.values()]
    kinds = [type(one) for one in given]
    if Condition.GIVEN_DATASET in defect.conditions:
        return any(kind.__module__.startswith("tensorflow.python.data") for kind in kinds)
    if Condition.SEVERAL_WORKERS in defect.conditions and not (
        named.get("use_multiprocessing") or named.get("workers", 1) > 1
    ):
        return False
    if Condition.GIVEN_SEQUENCE in defect.conditions:
        return any(base.__name__ == "Sequence" for kind in kinds for base in kind.__mro__)
    return True


def _note(tape: Tape, kind: str, place: Place, told: str, seconds: float) -> None:
    tape.note(kind, place, seconds=seconds)
    detail = tape.detail(kind, place)
    detail["told"] = told
    calls = detail["calls"] = detail.get("calls", 0) + 1
    if calls == WARM:
        detail["held"] = resident_bytes()
    if calls > WARM:
        detail["grown"] = max(detail.get("grown", 0), resident_bytes() - detail["held"])
        if calls <= FEWEST_CALLS:
            detail["early"] = detail.get("early", 0.0) + seconds / (FEWEST_CALLS - WARM)
        last = detail.get("late", seconds)
        detail["late"] = last + (seconds - last) / (FEWEST_CALLS - WARM)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The calls of which the run shows what the table says of them."""
    peak = trace.peak
    defects = {f"{NAME} {defect.id}": defect for defect in known_defects()}
    for seen in trace.observations:
        defect = defects.get(seen.kind)
        if defect is None:
            continue
        is_repeated = Condition.REPEATED in defect.conditions
        if not is_repeated or seen.count >= FEWEST_CALLS:
            yield _diagnosis(trace, seen, defect, peak)


def _diagnosis(trace: Trace, seen: Observation, defect: Defect, peak: int) -> Diagnosis:
    grown = seen.detail.get("grown", 0)
    early, late = seen.detail.get("early", 0.0), seen.detail.get("late", 0.0)
    evidence = f"{seen.count:,} calls took {seen.seconds:.2f} s"
    weight, share = Weight.HINT, share_of_seconds(trace, seen.seconds)
    if early and late >= SLOWER * early:
        evidence += f", {1000 * early:.1f} ms each at first and {1000 * late:.1f} ms at last"
        weight, share = Weight.TIME, share_of_seconds(trace, seen.seconds * (1 - early / late))
    if grown and peak:
        evidence += f"; memory grew by {grown / 1e6:,.0f} MB meanwhile"
        if grown / peak > share or weight is Weight.HINT:
            weight, share = Weight.MEMORY, min(1.0, grown / peak)
    if not defect.conditions:
        weight = Weight.TIME
    return told_at(
        seen,
        signal=NAME,
        cause="buggy-library-version",
        message=f"`{seen.detail['told']}` {defect.symptom}",
        evidence=evidence,
        remedy=defect.remedy,
        weight=weight,
        share=share,
        rule="buggy-version",
    )
