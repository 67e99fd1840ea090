"""Steps that wait for the network, and files that are written anew in each, are told; what a thread
sends, what is appended, and what is written once is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import marked, needs, report_on

from deepperf.dynamic.diagnosis import Diagnosis, Weight
from deepperf.dynamic.frameworks.requests import REQUESTS
from deepperf.dynamic.recording.opened_files import REWRITTEN
from deepperf.dynamic.recording.trace import Observation, Samples, ThreadTime, Trace
from deepperf.dynamic.signals import (
    awaited,
    blocked_loop,
    client_per_request,
    copied_weights,
    counted_chores,
    remote_calls,
    rewritten_file,
)

PROGRAM = """\
import http.server
import json
import queue
import threading
import urllib.request
from pathlib import Path

import torch
from torch import nn


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
address = f"http://127.0.0.1:{server.server_address[1]}/"
threading.Thread(target=server.serve_forever, daemon=True).start()
jobs = queue.Queue()


def send_all():
    while (job := jobs.get()) is not None:
        urllib.request.urlopen(address + str(job)).close()


sender = threading.Thread(target=send_all)
sender.start()
net = nn.Linear(8, 8)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
rows = []
for step in range(40):
    net(torch.ones(4, 8)).square().mean().backward()
    optimizer.step()
    rows.append({"step": step, "numbers": list(range(200))})
    with open("log.json", "w") as stream:  # rewritten
        json.dump(rows, stream)
    Path("last.json").write_text(json.dumps(rows[-1]))
    with open("lines.json", "a") as stream:
        stream.write(json.dumps(rows[-1]))
    urllib.request.urlopen(address + str(step)).close()  # waits
    jobs.put(step)
jobs.put(None)
sender.join()
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    needs("torch")
    report = report_on(tmp_path_factory.mktemp("steps"), PROGRAM)
    assert report["run"]["problems"] == []
    found: list[dict[str, Any]] = report["findings"] + report["notes"]
    return found


@pytest.mark.parametrize(
    ("signal", "mark"), [("rewritten-file", "rewritten"), ("remote-calls", "waits")]
)
def test_what_each_step_does_is_told_at_its_line(
    told: list[dict[str, Any]], signal: str, mark: str
) -> None:
    assert [item["line"] for item in told if item["signal"] == signal] == marked(PROGRAM, mark)


def test_how_a_file_grew_and_for_how_many_steps_was_waited_is_told(
    told: list[dict[str, Any]],
) -> None:
    (file,) = [item for item in told if item["signal"] == "rewritten-file"]
    assert file["message"] == "`log.json` is written in each step from its beginning, and grows"
    assert file["evidence"].startswith("40 times, from 0.00 to ")
    (sent,) = [item for item in told if item["signal"] == "remote-calls"]
    assert sent["evidence"].startswith("in 40 of 40 steps; ")


WRITES = """\
import json


def write(path, rows):
    with open(path, "w") as stream:
        json.dump(rows, stream)
"""


def rewritten(path: Path, **changes: int) -> Trace:
    """A file that was written anew in each of 199 steps; its lines took a tenth of the time."""
    entry = {"name": "log.json", "size": 10**7, "first": 5000, "grown": 198, "count": 198}
    entry |= {"steps": 198, "last": 199, **changes}
    seen = Observation(REWRITTEN, str(path), 5, "write", 198, detail={"files": {"": entry}})
    samples = (Samples(str(path), 6, "write", 50, 50, 0),)
    return trace_of(path, observations=(seen,), samples=samples, stacks=())


def test_the_share_of_a_file_is_that_of_all_that_writes_it(tmp_path: Path) -> None:
    path = script(tmp_path, WRITES)
    (one,) = rewritten_file.diagnose(rewritten(path))
    assert (one.line, one.share, one.weight) == (5, 0.1, Weight.TIME)


@pytest.mark.parametrize(
    "changes", [{"grown": 20}, {"count": 5, "grown": 4}, {"size": 6000}, {"size": 0, "first": 0}]
)
def test_a_file_that_is_replaced_written_seldom_or_hardly_grows_is_not_told(
    tmp_path: Path, changes: dict[str, int]
) -> None:
    assert [*rewritten_file.diagnose(rewritten(script(tmp_path, WRITES), **changes))] == []


def test_a_file_of_epochs_is_told_where_writing_it_is_felt(tmp_path: Path) -> None:
    path = script(tmp_path, WRITES)
    epochs = rewritten(path, count=15, grown=15, steps=15)
    (one,) = rewritten_file.diagnose(epochs)
    assert one.weight is Weight.TIME
    unfelt = replace(epochs, samples=())
    assert [*rewritten_file.diagnose(unfelt)] == []
    assert [*rewritten_file.diagnose(replace(unfelt, clocks=()))] == []
    (each,) = rewritten_file.diagnose(replace(rewritten(path), samples=()))
    assert each.weight is Weight.HINT


def counted(path: Path, kind: str, line: int, count: int, seconds: float, **detail: Any) -> Trace:
    whole = {"name": "send", "steps": count, "last": 0, **detail}
    seen = Observation(kind, str(path), line, "f", count, seconds, detail=whole)
    return trace_of(path, observations=(seen,))


def test_requests_of_a_thread_and_those_of_epochs_are_not_told(tmp_path: Path) -> None:
    path = script(tmp_path)
    assert len([*remote_calls.diagnose(counted(path, "remote-calls", 5, 150, 2.0))]) == 1
    for trace in (
        counted(path, "remote-calls", 5, 150, 2.0, aside=150),
        counted(path, "remote-calls", 5, 8, 2.0),
        counted(path, "remote-calls", 5, 150, 0.001),
    ):
        assert [*remote_calls.diagnose(trace)] == []


def test_checkpoints_every_few_steps_are_told_where_they_take_long(tmp_path: Path) -> None:
    path = script(tmp_path)
    often = counted(path, counted_chores.CHECKPOINTS, 5, 25, 1.0)
    (one,) = counted_chores.diagnose(often)
    assert (one.weight, one.share) == (Weight.TIME, 0.1)
    (one,) = counted_chores.diagnose(counted(path, counted_chores.CHECKPOINTS, 5, 25, 0.2))
    assert one.weight is Weight.HINT
    assert [*counted_chores.diagnose(counted(path, counted_chores.CHECKPOINTS, 5, 25, 0.05))] == []
    assert [*counted_chores.diagnose(counted(path, counted_chores.CHECKPOINTS, 5, 12, 1.0))] == []


SERVICE = """\
import asyncio

lock = asyncio.Lock()


async def rank(request):
    async with lock:
        history = await fetch(request)
    async with lock:
        counts[request] += 1
    return history


async def answer(done, key):
    while key not in done:
        await asyncio.sleep(0.05)
    return done[key]


async def pace():
    while True:
        await asyncio.sleep(0.05)
        report()
"""
LOCKED, HELD, POLLED, PACED = 7, 9, 16, 22


def served(path: Path, *seen: Observation, **changes: Any) -> Trace:
    """A service that had 100 requests of 0.1 s each."""
    asked = Observation(REQUESTS, str(path), 6, "rank", 100, 10.0, detail={"longest": 0.2})
    return trace_of(path, observations=(asked, *seen), **changes)


def waited(path: Path, kind: str, line: int, seconds: float) -> list[Diagnosis]:
    seen = Observation(kind, str(path), line, "rank", 100, seconds)
    return [*awaited.diagnose(served(path, seen))]


def test_a_lock_that_is_held_over_an_await_is_told_where_requests_wait_for_it(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, SERVICE)
    (one,) = waited(path, awaited.LOCKED, LOCKED, 6.0)
    assert "`lock`" in one.message
    assert "100 waits of 60 ms, 60% of the time that requests take" in one.evidence
    assert "line 8" in one.evidence
    assert waited(path, awaited.LOCKED, LOCKED, 1.0) == []
    assert waited(path, awaited.LOCKED, HELD, 6.0) == []


def test_a_coroutine_that_sleeps_until_something_is_there_is_told_and_any_other_is_not(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, SERVICE)
    assert [one.line for one in waited(path, awaited.SLEPT, POLLED, 4.0)] == [POLLED]
    assert waited(path, awaited.SLEPT, POLLED, 0.1) == []
    assert waited(path, awaited.SLEPT, PACED, 4.0) == []


def in_steps(path: Path, seconds: float) -> list[Diagnosis]:
    detail = {
        "worked": 1.1,
        "asked": [str(path), 6],
        "lines": {f"5 forward {path}": 0.9 * seconds, f"8 fetch {path}": 0.1 * seconds},
    }
    kind = blocked_loop.SERVED
    seen = Observation(kind, str(path), 8, "rank", 50, seconds, detail=detail)
    return [*blocked_loop.diagnose(served(path, seen))]


def test_a_loop_in_another_thread_is_blocked_by_what_takes_long_for_each_request(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, SERVICE)
    (one,) = in_steps(path, 4.0)
    assert one.message == "`rank` blocks the event loop"
    assert one.share == pytest.approx(0.1), "of the processor's time"
    assert one.evidence.startswith("about 40 ms for each of 100 requests")
    assert "train.py:5 in forward, train.py:8 in fetch" in one.evidence
    assert in_steps(path, 1.0) == [], "ten milliseconds are not felt"


@pytest.mark.parametrize(("count", "seconds", "told"), [(100, 2.0, 1), (100, 0.05, 0), (8, 2.0, 0)])
def test_clients_that_are_made_for_each_request_are_told(
    tmp_path: Path, count: int, seconds: float, told: int
) -> None:
    trace = counted(script(tmp_path), "client-per-request", 5, count, seconds)
    assert len([*client_per_request.diagnose(trace)]) == told


def test_weights_that_are_copied_for_each_request_are_told(tmp_path: Path) -> None:
    path = script(tmp_path, SERVICE)
    seen = Observation("copied-weights", str(path), 8, "rank", 2000, 0.0, 10**9, {"steps": 1})
    looks = Samples(str(path), 8, "rank", 50, 50, 0)
    threads = (ThreadTime("Thread (run)", 1, 2.0, (looks,)),)
    (one,) = copied_weights.diagnose(served(path, seen, threads=threads))
    assert one.message == "all weights of a model are copied for each request"
    assert one.share == pytest.approx(1.0 / 11.0)
    few = replace(seen, count=100)
    assert [*copied_weights.diagnose(served(path, few, threads=threads))] == []


def test_a_loop_in_c_is_told_by_its_requests_and_not_by_the_steps_that_looks_met_twice(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, SERVICE)
    detail = {"worked": 4.0, "asked": [str(path), 6], "lines": {f"8 rank {path}": 4.0}, "aside": 0}
    looks = Observation(blocked_loop.SERVED, str(path), 8, "rank", 200, 4.0, detail=detail)
    met = Observation(blocked_loop.NAME, str(path), 8, "rank", 20, 0.6, detail={"met": True})
    (one,) = blocked_loop.diagnose(served(path, met, looks))
    assert one.share == pytest.approx(0.4), "of the run's ten seconds"
    assert "about 40 ms for each of 100 requests" in one.evidence
    (short,) = blocked_loop.diagnose(served(path, met, replace(looks, seconds=1.0)))
    assert "looks in a row met the same task" in short.evidence
