"""Containers that keep an array of every step are found at the line that adds to them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import diagnoses, marked, needs

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.program.additions import addition_to
from deepperf.dynamic.recording.cost import Purse
from deepperf.dynamic.recording.holdings import containers_of, plain_in
from deepperf.dynamic.recording.places import UserCode
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals import memory_growth

needs("torch")

SETUP = """\
import numpy as np
import torch

model = torch.nn.Linear(64, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def train(rows):
    for _ in range(40):
        optimizer.zero_grad()
        loss = model(torch.from_numpy(rows)).square().mean()
        loss.backward()
        optimizer.step()
    return loss.item()
"""

LOCAL = (
    SETUP
    + """

def main():
    kept, losses = [], []
    for number in range(120):
        rows = np.full((4096, 64), number, "float32")
        losses.append(train(rows))
        kept.append(rows)  # grows


main()
"""
)

ATTRIBUTE = (
    SETUP
    + """

class Trainer:
    def __init__(self):
        self.outputs = {}

    def step(self, number):
        rows = np.full((4096, 64), number, "float32")
        self.outputs[number] = rows * 2.0  # grows
        return train(rows)


def main(trainer):
    for number in range(120):
        trainer.step(number)


main(Trainer())
"""
)

BOUNDED = (
    SETUP
    + """
from collections import deque


def main():
    data = [np.full((4096, 64), number, "float32") for number in range(60)]
    recent = deque(maxlen=20)
    history = {"loss": []}
    cache = {}
    for epoch in range(3):
        outputs = []
        for number, rows in enumerate(data):
            history["loss"].append(train(rows))
            recent.append(rows + 1.0)
            outputs.append(rows + epoch)
            if number not in cache:
                cache[number] = rows[:512] + 1.0


main()
"""
)

ANSWERS = """\
import time

import torch

model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8))
answers = []
recent = []


def answer(rows):
    given = model.eval()(rows)
    answers.append(given.mean())  # keeps
    recent.append(given.detach())


for _ in range(200):
    answer(torch.rand(1024, 64))
    time.sleep(0.01)
"""


@pytest.mark.parametrize("text", [LOCAL, ATTRIBUTE])
def test_what_grows_is_named_at_the_line_that_adds(tmp_path: Path, text: str) -> None:
    found = diagnoses(tmp_path, text, "memory-growth")
    assert [item["line"] for item in found] == marked(text, "grows")
    assert found[0]["weight"] == "memory"
    assert "in " in found[0]["evidence"]


def test_buffers_caches_and_histories_of_numbers_are_no_finding(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, BOUNDED, "memory-growth") == []


def test_answers_that_a_service_keeps_with_their_graphs_are_told(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, ANSWERS, "memory-growth")
    assert [found["line"]] == marked(ANSWERS, "keeps")
    assert found["rule"] == "kept-history"


MODULE = """\
class Forecaster:
    def __init__(self):
        self.kept = []

    def training_step(self, batch):
        states = []
        self.kept.append(self.loss(batch))
"""


def grown(path: Path, name: str, steps: range, *, graphs: bool = True) -> Trace:
    """A container that holds one more after each step, while the process grows by 5 MB in each."""
    each = 0 if graphs else 900_000
    points = [[n, n, each * n, 10**8 + 5 * 10**6 * n, 0.1 * n] for n in steps]
    detail = {"line": 7, "home": str(path), "most": None, "points": points}
    detail |= {"graphs": len(steps)} if graphs else {}
    seen = Observation("memory-growth", str(path), 0, f"training_step {name}", 9, detail=detail)
    return trace_of(path, observations=(seen,), memory=((9.0, 10**9),))


def test_what_an_attribute_keeps_of_every_step_is_told_though_no_step_sees_it(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, MODULE)
    (one,) = memory_growth.diagnose(grown(path, "self.kept", range(2, 60, 4)))
    assert (one.line, one.rule, one.weight) == (7, "kept-history", Weight.MEMORY)
    assert "grew by 280 MB" in one.evidence
    assert [*memory_growth.diagnose(grown(path, "states", range(2, 60, 4)))] == []
    assert [*memory_growth.diagnose(grown(path, "self.kept", range(2, 12, 2)))] == []


def test_a_cache_that_was_full_between_two_late_looks_is_not_told(tmp_path: Path) -> None:
    path = script(tmp_path, CACHE)
    looks = [(number, number) for number in range(50, 551, 100)] + [(800, 800), (1100, 800)]
    points = [[n, 4000 * held, 900_000 * held, 10**8 + 10**6 * held, 0.1] for n, held in looks]
    detail = {"line": 4, "home": str(path), "most": None, "plain": True, "points": points}
    seen = Observation("memory-growth", str(path), 0, "page self.recent", 9, detail=detail)

    def told(number: int) -> int:
        part = replace(seen, detail=detail | {"points": points[:number]})
        trace = trace_of(path, observations=(part,), memory=((9.0, 5 * 10**8),), clocks=())
        return len([*memory_growth.diagnose(trace)])

    assert told(len(points) - 1) == 1
    assert told(len(points)) == 0


def test_what_grows_by_a_small_part_of_the_memory_is_a_note(tmp_path: Path) -> None:
    path = script(tmp_path, MODULE)
    (one,) = memory_growth.diagnose(grown(path, "self.kept", range(2, 50, 4), graphs=False))
    assert (one.line, one.weight) == (7, Weight.HINT)


def test_texts_and_numbers_that_a_cache_holds_are_measured_and_shared_ones_in_parts() -> None:
    import random

    titles = [f"item {number}" * 20 for number in range(2000)]
    cache = {key: [(random.random(), title) for title in titles] for key in range(50)}
    held = plain_in(cache)
    assert held.arrays == 200_000
    assert 8e6 < held.size < 11e6
    assert plain_in([object()] * 100).arrays == 0


CACHE = """\
class Engine:
    def page(self, key):
        ranking = self.ranked(key)
        self.recent[key] = ranking
        return ranking[:5]
"""


@pytest.mark.parametrize(("requests", "told"), [(400, 1), (0, 0)])
def test_a_cache_of_texts_that_grows_with_the_requests_is_told(
    tmp_path: Path, requests: int, told: int
) -> None:
    path = script(tmp_path, CACHE)
    points = [[0, 4000 * n, 900_000 * n, 10**8 + 10**6 * n, 0.1 * n] for n in range(2, 300, 20)]
    detail = {"line": 4, "home": str(path), "most": None, "plain": True, "points": points}
    seen = Observation("memory-growth", str(path), 0, "page self.recent", 9, detail=detail)
    asked = Observation("requests", str(path), 1, "answer", requests, 4.0)
    trace = trace_of(path, observations=(seen, asked), memory=((9.0, 5 * 10**8),), clocks=())
    found = [*memory_growth.diagnose(trace)]
    assert [(one.line, one.weight, one.rule) for one in found] == [(4, Weight.MEMORY, "")] * told
    message = "`self.recent` holds more objects after every request"
    assert [one.message for one in found] == [message] * told


def keeper() -> tuple[list[bytes], Callable[[bytes], None]]:
    store: list[bytes] = []

    def keep(one: bytes) -> None:
        store.append(one)

    return store, keep


class Holder:
    """What keeps by a function, and by a method, that it was given."""

    def __init__(self, keep: Callable[[bytes], None], take: Callable[[], None]) -> None:
        self.keep, self.take = keep, take


class Box:
    def __init__(self) -> None:
        self.inside: list[bytes] = []

    def take(self) -> None: ...


def test_what_a_function_holds_of_those_around_it_is_found_under_its_own_name() -> None:
    kept = keeper()[1]
    box = Box()
    holder = Holder(kept, box.take)
    found = [*containers_of(UserCode(), sys._getframe())]
    (store,) = [one for one in found if one.name == "store"]
    assert (store.file, store.function) == (__file__, "keep")
    assert addition_to(store.file, store.function, store.name, 0) == store.line + 1
    assert any(one.value is box.inside for one in found)
    del holder


def test_a_look_comes_at_once_where_the_process_has_grown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, looked = [10**8], list[int]()
    tape = SimpleNamespace(ticks=0, code=UserCode())
    purse = SimpleNamespace(is_left=lambda: True, charge=lambda _: None)
    watched = memory_growth._Watch(cast(Tape, tape), cast(Purse, purse))
    monkeypatch.setattr(memory_growth, "resident_bytes", lambda: held[0])

    def none_of(*_: object) -> tuple[()]:
        looked.append(held[0])
        return ()

    monkeypatch.setattr(memory_growth, "containers_of", none_of)

    def look(times: int) -> int:
        before = len(looked)
        for _ in range(times):
            watched.look(sys._getframe())
        return len(looked) - before

    look(200)
    # A while after so many looks, none is due.
    assert look(5) == 0
    held[0] += 20_000_000
    assert look(5) == 1
    held[0] += 1_000_000
    assert look(5) == 0
