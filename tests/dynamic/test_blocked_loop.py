"""Coroutines that compute while others wait for the event loop are told; threads are not."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import diagnoses, marked

from deepperf.dynamic.recording.places import Place, UserCode
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import blocked_loop

PROGRAM = """\
import asyncio
import time


def answer():
    end = time.process_time() + 0.08
    while time.process_time() < end:
        pass


async def handler():
    ANSWERED
    await asyncio.sleep(0)


async def serve():
    for _ in range(12):
        await asyncio.gather(handler(), handler())


asyncio.run(serve())
"""


def test_a_handler_that_computes_blocks_the_others(tmp_path: Path) -> None:
    program = PROGRAM.replace("ANSWERED", "answer()  # blocks")
    (found,) = diagnoses(tmp_path, program, "blocked-loop")
    assert [found["line"]] == marked(program, "blocks")
    assert found["message"] == "`handler` blocks the event loop"


def test_a_handler_that_waits_for_a_thread_does_not(tmp_path: Path) -> None:
    program = PROGRAM.replace("ANSWERED", "await asyncio.to_thread(answer)")
    assert diagnoses(tmp_path, program, "blocked-loop") == []


class Looking:
    """What looks of the sampler see of coroutines that a loop in C runs."""

    def __init__(self) -> None:
        self.noted: list[tuple[Place, int]] = []
        self.details: dict[Place, dict[str, Any]] = {}
        self.tape: Any = SimpleNamespace(
            code=UserCode(),
            idle=0.0,
            note=self.note,
            detail=lambda _kind, place: self.details.setdefault(place, {}),
        )
        self.watched = blocked_loop._Watch(cast(Tape, self.tape))
        self.now, self.counted = 0.0, 1
        self.watched._clock = lambda: self.now
        self.watched._code = blocked_loop.watch.__code__

    def note(self, kind: str, place: Place, count: int = 1, seconds: float = 0.0, **_: Any) -> None:
        assert seconds > 0.0
        if kind == blocked_loop.NAME:
            self.noted.append((place, count))

    def look(self) -> None:
        frame: FrameType | None = inspect.currentframe()
        assert frame is not None
        for _ in range(self.counted):
            self.watched._look(frame.f_back)
        self.now += 0.03

    def run(self, looks: int, idle: float = 0.0) -> None:
        async def handler() -> None:
            for _ in range(looks):
                self.look()
                self.tape.idle += idle

        asyncio.run(handler())


def test_a_step_that_a_loop_in_c_runs_is_long_if_looks_meet_it_again() -> None:
    looking = Looking()
    looking.run(looks=3)
    assert {place.function for place, _ in looking.noted} == {"handler"}
    # Three looks are of one step.
    assert sum(count for _, count in looking.noted) == 1
    assert len(looking.noted) == 3


def test_steps_that_are_met_once_or_while_the_loop_was_idle_between_are_short() -> None:
    looking = Looking()
    for _ in range(4):
        looking.run(looks=1)
        looking.tape.idle += 0.01
    looking.run(looks=3, idle=0.01)
    assert looking.noted == []
    # Each look is counted, for where there are requests to divide by.
    assert sum(one["worked"] for one in looking.details.values()) == pytest.approx(7 * 0.02)


def test_a_look_that_counts_several_times_tells_of_one_moment() -> None:
    looking = Looking()
    looking.counted = 4
    looking.run(looks=1)
    assert looking.noted == []
    looking.run(looks=2)
    assert sum(count for _, count in looking.noted) == 1


@pytest.mark.parametrize(("without_core", "counted"), [(0.0, 1), (0.02, 1), (0.09, 0)])
def test_the_time_in_which_others_had_all_cores_makes_no_step_long(
    without_core: float, counted: int
) -> None:
    looking = Looking()
    looking.tape.active = True
    looking.tape.at_samples = looking.tape.at_threads = lambda *_: None
    coreless = iter((1.0, 1.0 + without_core))
    looking.watched._without_core = lambda: next(coreless)
    place = Place("server.py", 3, "handler")

    class Handle:
        def _run(self) -> None:
            looking.watched._met.append(place)
            looking.now += 0.1

    looking.watched.begin(cast(ModuleType, SimpleNamespace(Handle=Handle)))
    Handle()._run()
    assert looking.noted == [(place, 1)] * counted


def test_short_steps_of_many_tasks_whose_frames_lie_at_the_same_place_are_short() -> None:
    looking = Looking()

    async def handler() -> None:
        looking.look()

    async def serve() -> None:
        for _ in range(20):
            await asyncio.create_task(handler())

    asyncio.run(serve())
    assert looking.noted == []


def test_a_look_at_another_thread_tells_whose_step_is_at_which_line() -> None:
    noted: list[tuple[str, Place, float]] = []
    details: dict[Place, dict[str, Any]] = {}
    tape: Any = SimpleNamespace(
        code=UserCode(),
        note=lambda kind, place, seconds: noted.append((kind, place, seconds)),
        detail=lambda _kind, place: details.setdefault(place, {}),
    )
    watched = blocked_loop._Watch(cast(Tape, tape))

    def computes() -> None:
        frame = inspect.currentframe()
        assert frame is not None
        watched._look_at_thread(frame, 0.08, 0.03)

    async def fetched() -> None:
        computes()

    async def handler() -> None:
        await fetched()

    computes()
    assert noted == [], "no coroutine is at work"
    asyncio.run(handler())
    ((kind, place, seconds),) = noted
    assert (kind, place.function, seconds) == (blocked_loop.SERVED, "fetched", 0.08)
    (detail,) = details.values()
    assert detail["worked"] == 0.03
    assert detail["asked"][1] == handler.__code__.co_firstlineno
    ((line, spent),) = detail["lines"].items()
    assert line.split(" ")[1] == "computes"
    assert spent == 0.08


def long_steps(path: Path, *met: tuple[int, str, int], looks: int) -> Trace:
    """A run of ten seconds with a hundred steps of 50 ms; lines, coroutines, and looks that met
    their steps, as some of all the looks at one."""
    steps = Observation(blocked_loop.STEPS, "", 0, "", 100, 5.0, detail={"looks": looks})
    found = [
        Observation(blocked_loop.NAME, str(path), line, name, n, 0.05 * n, detail={"looks": n})
        for line, name, n in met
    ]
    return trace_of(path, observations=(steps, *found))


def test_steps_that_no_look_met_are_shared_among_those_that_were_met(tmp_path: Path) -> None:
    path = script(tmp_path)
    trace = long_steps(path, (9, "answer", 3), (14, "wait", 4), looks=10)
    told = {one.function: one for one in blocked_loop.diagnose(trace)}
    assert told["answer"].share == pytest.approx(0.15)
    assert told["wait"].share == pytest.approx(0.2)
    assert told["wait"].evidence.startswith("2.00 s in steps of at least 20 ms")


def test_a_step_that_was_met_once_says_nothing_of_the_others(tmp_path: Path) -> None:
    path = script(tmp_path)
    assert [*blocked_loop.diagnose(long_steps(path, (9, "answer", 1), looks=1))] == []
