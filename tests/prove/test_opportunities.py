"""Each opportunity is offered where it may help, as an edit that leaves a program that parses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.made import trace_of

from deepperf.check.paths import starts
from deepperf.prove.candidates import (
    Candidate,
    change_of,
    from_opportunities,
    ranked,
    shares,
    texts_of,
    together,
    weighed,
)
from deepperf.prove.losses import Losses
from deepperf.prove.offer import Machine, Quantity, opportunities
from deepperf.records import Edit
from deepperf.semantics.text.source import Source, read_source

TORCH = """import torch
from torch import nn
from torch.utils.data import DataLoader


def evaluate(model, loader):
    with torch.no_grad():
        return sum(model(x).sum().item() for x, _ in loader)


def train(data):
    loader = DataLoader(data, batch_size=8)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return evaluate(model, loader)
"""
KERAS = """import keras


def train(x, y):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x, y)
    return model.predict(x)
"""
TESTED = """import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def evaluate(model: torch.nn.Module, batches):
    return sum([model(x).sum().item() for x in batches])


def train(model: torch.nn.Module, loader):
    for x in loader:
        model(x).sum().backward()


def main(data, size):
    model = torch.nn.Linear(3, 1)
    train(model, DataLoader(data, batch_size=8))
    print(evaluate(model, DataLoader(data, 8)))
    print(evaluate(model, DataLoader(data, batch_size=size)))


main(torch.ones(9, 3), 4)
"""
PIPELINE = """import tensorflow as tf


def train(model, rows):
    batches = tf.data.Dataset.from_tensor_slices(rows).map(tf.sort).batch(8)
    model.fit(batches.repeat(2), epochs=2)
"""
LOOP = """import tensorflow as tf


def step(model, optimizer, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


def train(model, optimizer, batches):
    for x in batches:
        step(model, optimizer, x)
"""
GAME = """import keras


def play(game):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
    while not game.over:
        game.move(model.predict(game.state, verbose=0)[0])
"""
ROWS = """import torch
from torch.utils.data import DataLoader, TensorDataset


def loaders(count):
    rows = TensorDataset(torch.rand(count, 3), torch.rand(count))
    first = DataLoader(rows, batch_size=8, shuffle=True, num_workers=0)
    return first, DataLoader(TensorDataset(torch.rand(9, 3)), batch_size=4)
"""
MAPPED = """import tensorflow as tf


def spread(rows):
    return tf.map_fn(lambda row: tf.reduce_max(row), rows, fn_output_signature=tf.float32)
"""
JAX = """import jax


def loss(w, x):
    return (w * x).sum()


def update(w, x):
    return w - 0.1 * jax.grad(loss)(w, x)


def train(w, batches):
    for x in batches:
        w = update(w, x)
    return w
"""


def offered(folder: Path, text: str, machine: Machine) -> dict[str, Candidate]:
    (folder / "train.py").write_text(text)
    (start,) = starts([folder], lambda options: options)
    losses = Losses(trace_of(folder / "train.py", sampled=0), (), f"{folder}/")
    return {one.name: one for one in from_opportunities(start, ["train.py"], machine, losses)}


def changed(folder: Path, text: str, name: str, machine: Machine) -> str:
    candidate = offered(folder, text, machine)[name]
    sources = texts_of(folder, ["train.py"])
    return change_of([candidate], sources).files["train.py"].decode()


CPU, GPU = Machine(4), Machine(4, accelerators=1)
CHANGES = [
    (TORCH, "loader-workers", CPU, "batch_size=8, num_workers=3)"),
    (TORCH, "pinned-memory", GPU, "batch_size=8, pin_memory=True)"),
    (TORCH, "inference-mode", CPU, "    with torch.inference_mode():\n"),
    (TORCH, "fused-optimizer", CPU, "torch.optim.Adam(model.parameters(), fused=True)"),
    (TORCH, "channels-last", CPU, "    model.to(memory_format=torch.channels_last)\n"),
    (TORCH, "compiled-model", CPU, "nn.Linear(8, 2))\n    model.compile()\n"),
    (TORCH, "matrix-precision", GPU, '    torch.set_float32_matmul_precision("high")\n'),
    (
        TORCH,
        "autocast",
        CPU,
        '        with torch.autocast("cpu", dtype=torch.bfloat16):\n            loss = ',
    ),
    (KERAS, "steps-per-execution", CPU, 'model.compile("sgd", "mse", steps_per_execution=16)'),
    (KERAS, "jit-compiled", CPU, 'model.compile("sgd", "mse", jit_compile=True)'),
    (KERAS, "predicted-batches", CPU, "model.predict(x, batch_size=512)"),
    (GAME, "direct-predictions", CPU, "model.predict_on_batch(game.state)[0]"),
    (
        GAME.replace("game.state, verbose=0", "game.states, steps=1, verbose=0"),
        "direct-predictions",
        CPU,
        "model.predict_on_batch(next(iter(game.states)))[0]",
    ),
    (LOOP, "traced-step", CPU, "\n@tf.function\ndef step("),
    (
        LOOP.replace("def step", "@tf.function\ndef step"),
        "jit-compiled",
        CPU,
        "@tf.function(jit_compile=True)\ndef step(",
    ),
    (
        ROWS,
        "whole-batches",
        CPU,
        "BatchSampler(torch.utils.data.RandomSampler(rows), 8, False), num_workers=0)\n",
    ),
    (MAPPED, "vectorized-map", CPU, "tf.vectorized_map(lambda row: tf.reduce_max(row), rows)"),
    (JAX, "compiled-jax-step", CPU, "\n@jax.jit\ndef update("),
    (
        JAX.replace("w = update(w, x)", "w = w - jax.grad(loss)(w, x)"),
        "compiled-jax-step",
        CPU,
        "\n@jax.jit\ndef loss(",
    ),
    (TESTED, "evaluated-batches", CPU, "train(model, DataLoader(data, batch_size=8))"),
    (TESTED, "evaluated-batches", CPU, "evaluate(model, DataLoader(data, 64))"),
    (TESTED, "evaluated-batches", CPU, "evaluate(model, DataLoader(data, batch_size=8 * size))"),
    (PIPELINE, "prefetched-pipeline", CPU, "(batches.repeat(2).prefetch(1), epochs=2)"),
    (
        PIPELINE.replace("batches.repeat(2)", "batches"),
        "prefetched-pipeline",
        CPU,
        ".batch(8).prefetch(1)\n",
    ),
    (
        TORCH.replace("batch_size=8", "batch_size=8, num_workers=2"),
        "persistent-workers",
        CPU,
        "num_workers=2, persistent_workers=True)",
    ),
    (
        TORCH.replace("batch_size=8", "batch_size=8, num_workers=workers"),
        "persistent-workers",
        CPU,
        "num_workers=workers, persistent_workers=workers > 0)",
    ),
]


@pytest.mark.parametrize(
    ("text", "name", "machine", "expected"), CHANGES, ids=lambda v: str(v)[:20]
)
def test_an_opportunity_is_this_change(
    tmp_path: Path, text: str, name: str, machine: Machine, expected: str
) -> None:
    assert expected in changed(tmp_path, text, name, machine)


def test_every_opportunity_is_tried_here() -> None:
    names = {one.__name__.rpartition(".")[2].replace("_", "-") for one in opportunities()}
    assert names == {name for _, name, _, _ in CHANGES}


def test_what_needs_an_accelerator_is_not_offered_without_one(tmp_path: Path) -> None:
    assert not {"pinned-memory", "matrix-precision"} & offered(tmp_path, TORCH, CPU).keys()


def test_several_steps_are_not_the_first_batch(tmp_path: Path) -> None:
    text = GAME.replace("game.state", "game.states, steps=2")
    assert "direct-predictions" not in offered(tmp_path, text, CPU)


def test_what_is_there_already_is_not_offered(tmp_path: Path) -> None:
    done = TORCH.replace("model.parameters()", "model.parameters(), foreach=True")
    assert "fused-optimizer" not in offered(tmp_path, done, CPU)


@pytest.mark.parametrize(
    "way", [".batch(8).prefetch(2)", ".batch(8)\n    batches = batches.prefetch(2).map(tf.abs)"]
)
def test_a_pipeline_that_prefetches_is_left_as_it_is(tmp_path: Path, way: str) -> None:
    done = PIPELINE.replace(".batch(8)", way)
    assert "prefetched-pipeline" not in offered(tmp_path, done, CPU)


def test_all_that_is_offered_can_be_made_together(tmp_path: Path) -> None:
    candidates = [*offered(tmp_path, TORCH, GPU).values()]
    kept = together(ranked(candidates))
    assert change_of(kept, texts_of(tmp_path, ["train.py"])).files
    assert len(kept) >= 6


def test_changes_of_the_same_text_are_not_made_together() -> None:
    one, other = (Candidate(n, "", "a.py", (1,), (Edit(0, 3, n),)) for n in ("x", "y"))
    assert together([one, other]) == (one,)
    assert ranked([one, other, one]) == (one, other)


def test_the_allowance_is_shared_out_and_what_is_unlikely_gets_little() -> None:
    made = [Candidate("x", "", "a.py", (1,), (), expected=gain) for gain in (0.3, 0.1, 0.0)]
    likely, other, unlikely = (1 / among for among in shares(made))
    assert likely == other == pytest.approx(10 * unlikely)
    assert likely + other + unlikely == pytest.approx(1)


def test_a_fix_that_is_an_opportunity_too_is_measured_as_that() -> None:
    edits = (Edit(0, 0, "@tf.function\n"),)
    fix = Candidate("eager-loop", "", "a.py", (1,), edits, safety="unsafe", expected=0.3)
    offer = Candidate("traced-step", "", "a.py", (1,), edits, Quantity.STEP, expected=0.4)
    for candidates in ([fix, offer], [replace(fix, expected=0.5), offer]):
        (one,) = ranked(candidates)
        assert one.quantity is Quantity.STEP


def test_what_the_watched_run_was_not_seen_in_comes_last() -> None:
    text = "def a():\n    one()\n\n\ndef b():\n    two()\n\n\nthree()\n"
    source = read_source("train.py", text.encode())
    assert isinstance(source, Source)
    candidates = [Candidate(str(n), "", "train.py", (n,), (Edit(n, n, "x"),)) for n in (2, 6, 9)]
    weighted = weighed(candidates, {"train.py": source}, {"train.py": {1, 2, 5, 9}})
    assert [one.name for one in ranked(weighted)] == ["2", "9", "6"]


def test_whole_batches_hold_the_same_rows_in_the_same_order(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    given = []
    for text in (ROWS, changed(tmp_path, ROWS, "whole-batches", CPU)):
        names: dict[str, Any] = {}
        exec(text, names)
        torch.manual_seed(0)
        given.append([batch for loader in names["loaders"](20) for batch in loader])
    (one, other), sizes = given, [len(batch[0]) for batch in given[0]]
    assert sizes == [8, 8, 4, 4, 4, 1]
    pairs = [pair for both in zip(one, other, strict=True) for pair in zip(*both, strict=True)]
    assert all(torch.equal(a, b) for a, b in pairs)
