"""Coroutines that compute while others wait for the event loop are told; threads are not."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked

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
