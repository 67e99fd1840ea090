"""Loops that wait for a generator are found at the generator's slow line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

# Arrays of few numbers: above 500 numpy lets go of the interpreter at every operation, and on a
# busy machine the sampler would come to look there more often than elsewhere.
SETUP = """\
import queue
import threading

import numpy as np
import torch

model = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def step(batch):
    optimizer.zero_grad()
    for _ in range(20):
        loss = model(torch.from_numpy(batch)).square().mean()
    loss.backward()
    optimizer.step()


def clean(text):
    return [float(len(word)) for word in text.split()]


def batches(count, turns=16):
    for number in range(count):
        rows = np.full((16, 16), number, "float32")
        for turn in range(turns):
            rows[turn] = clean("some words " * 3000)[:16]  # slow
        yield rows
"""

WAITING = (
    SETUP
    + """

def scaled(batches):
    for rows in batches:
        yield rows / 2.0


for number, batch in enumerate(scaled(batches(200))):
    step(batch)
"""
)

MEANWHILE = (
    SETUP
    + """

def cheap(count):
    for number in range(count):
        yield np.full((16, 16), number, "float32")


def ahead(batches):
    ready = queue.Queue(4)

    def fill():
        for batch in batches:
            ready.put(batch)
        ready.put(None)

    threading.Thread(target=fill, daemon=True).start()
    while (batch := ready.get()) is not None:
        yield batch


for batch in ahead(cheap(400)):
    step(batch)
"""
)

RESULTS = (
    SETUP
    + """

def outputs(count):
    for number in range(count):
        step(np.full((16, 16), number, "float32"))
        yield number


def lines():
    for number in range(40):
        yield clean("some words " * 40000)


total = 0.0
for number in outputs(300):
    total += number
for words in lines():
    total += sum(words)
"""
)


def test_the_slow_line_of_a_generator_is_named(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, WAITING, "generator-wait")
    assert [item["line"] for item in found] == marked(WAITING, "slow")
    assert found[0]["cause"] == "inefficient-data-preprocessing"
    assert found[0]["share"] > 0.05
    assert "goes to `batches`" in found[0]["evidence"]
    assert "of that to this line" in found[0]["evidence"]


@pytest.mark.parametrize("text", [MEANWHILE, RESULTS])
def test_generators_that_are_quick_or_hold_the_steps_are_no_finding(
    tmp_path: Path, text: str
) -> None:
    assert diagnoses(tmp_path, text, "generator-wait") == []
