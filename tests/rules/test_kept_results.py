"""What a fix may change is said: a safe one leaves what is returned, printed and kept as it was."""

from __future__ import annotations

import pytest

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Fix, Level, Safety

STEPS = """\
import torch
from torch.nn import functional as F


def train(model, loader, optimizer, epochs):
    for epoch in range(epochs):
        losses = []
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss)
        mean = sum(losses) / len(losses)
"""
SUM = """\
from torch.nn import functional as F


def train(model, loader, optimizer):
    total = 0
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
"""
SCORES = """\
import torch
from torch.nn import functional as F


def score(model: torch.nn.Module, batches):
    model.eval()
    total = 0
    for x, y in batches:
        total += F.cross_entropy(model(x), y)
"""
STATES = """\
from transformers import AutoModel, AutoModelForCausalLM, PreTrainedModel

base, whole = AutoModel.from_pretrained("gpt2"), AutoModelForCausalLM.from_pretrained("gpt2")


def embed(model: PreTrainedModel, ids):
    out = model(ids, output_hidden_states=True)
    return out.hidden_states[-1]
"""


def offered(text: str, rule: str) -> Fix | None:
    options = Options(select=(rule,), level=Level.NOTE, preview=True)
    (found,) = check_text(text, options).findings
    return found.fix


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('print(f"{mean:.3f}")', Safety.SAFE),
        ('print("%.3f" % mean)', Safety.SAFE),
        ("print(mean.item(), float(mean))", Safety.SAFE),
        ("if mean < 0.1: break", Safety.SAFE),
        ("print(mean)", Safety.UNSAFE),
        ('print("%s" % mean)', Safety.UNSAFE),
        ('print(f"{losses}")', Safety.UNSAFE),
        ('print(f"{mean} {losses[0]}")', Safety.SAFE),
        ('print(f"{losses[0]!r}")', Safety.UNSAFE),
        ('print(f"{mean=}")', Safety.UNSAFE),
        ('print(f"{mean=:.3f}")', Safety.SAFE),
        ('print(f"{torch.stack(losses)}")', Safety.UNSAFE),
        ('print(f"{torch.stack(losses) / 2}")', Safety.UNSAFE),
        ('print(f"{torch.stack(losses).mean(0)}")', Safety.UNSAFE),
        ('print(f"{torch.stack(losses).mean()}")', Safety.SAFE),
        ('print("%10s" % mean)', Safety.UNSAFE),
        ('print("%-9.2f%%" % mean)', Safety.SAFE),
        ('print("%(mean)s" % {"mean": mean})', Safety.UNSAFE),
        ("print((lambda: (lambda: losses)())())", Safety.UNSAFE),
        ("if epoch == 3: return mean", Safety.UNSAFE),
        ("model.loss = mean", Safety.UNSAFE),
        ("report(losses)", Safety.UNSAFE),
        ("print((lambda: losses)())", Safety.UNSAFE),
    ],
)
def test_losses_are_kept_without_graphs_safely_where_their_numbers_alone_are_read(
    line: str, expected: Safety
) -> None:
    fix = offered(f"{STEPS}        {line}\n", "kept-history")
    assert fix is not None
    assert fix.safety is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("print(float(total) / len(loader))", Safety.SAFE),
        ("return total.item()", Safety.SAFE),
        ("print(total)", Safety.UNSAFE),
        ("return total / len(loader)", Safety.UNSAFE),
    ],
)
def test_a_sum_of_losses_loses_its_graph_safely_where_its_number_alone_is_read(
    line: str, expected: Safety
) -> None:
    fix = offered(f"{SUM}    {line}\n", "kept-history")
    assert fix is not None
    assert fix.safety is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("print(total.item())", Safety.SAFE),
        ("print(total.item(), total)", Safety.UNSAFE),
    ],
)
def test_gradients_are_switched_off_safely_where_no_tensor_is_printed(
    line: str, expected: Safety
) -> None:
    fix = offered(f"{SCORES}    {line}\n", "missing-no-grad")
    assert fix is not None
    assert fix.safety is expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("out = model(", "out = whole("),
        ("return out.hidden", "return out.logits, out.hidden"),
    ],
)
def test_a_model_with_a_head_is_not_asked_for_a_last_state_that_it_does_not_give(
    old: str, new: str
) -> None:
    rule = "hidden-states-for-one-layer"
    assert offered(STATES, rule) is not None
    assert offered(STATES.replace("out = model(", "out = base("), rule) is not None
    assert offered(STATES.replace(old, new), rule) is None


def test_a_second_run_into_the_same_variable_is_left_out() -> None:
    again = "    scores = critic(y, training=False)\n"
    text = f"""\
import keras
import tensorflow as tf

critic = keras.Sequential([keras.layers.Dense(4)])


def step(x, y):
{again}    loss = -tf.reduce_mean(scores)
{again}    return loss, tf.nn.relu(1.0 + scores)
"""
    options = Options(select=("forward-twice",), level=Level.NOTE, preview=True)
    fixed = fix_text(text, lambda now: check_text(now, options).findings, Safety.UNSAFE)
    assert fixed.text == text.replace(f"{again}    return", "    return")


PIPELINE = """\
import tensorflow as tf


def spectrum(path):
    return tf.abs(tf.signal.rfft(tf.io.decode_raw(tf.io.read_file(path), tf.float32)))


def train(paths, step):
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    options.autotune.enabled = False
    dataset = tf.data.Dataset.list_files("recordings/*").with_options(options)
    dataset = dataset.map(spectrum).batch(8)
    for epoch in range(9):
        for batch in dataset:
            step(batch)
            print(tf.reduce_sum(batch))
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("epoch", "epoch", Safety.SAFE),
        (
            'list_files("recordings/*")',
            "from_generator(paths, output_signature=tf.TensorSpec([], tf.string))",
            Safety.UNSAFE,
        ),
        (
            "return tf.abs(",
            "return tf.py_function(print, [path], tf.float32) * tf.abs(",
            Safety.UNSAFE,
        ),
    ],
)
def test_a_batch_is_made_ahead_safely_where_no_python_makes_it(
    old: str, new: str, expected: Safety
) -> None:
    fix = offered(PIPELINE.replace(old, new), "missing-prefetch")
    assert fix is not None
    assert fix.safety is expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("torch.tensor(rows)", Safety.UNSAFE),
        ("torch.tensor(rows, dtype=torch.float32)", Safety.SAFE),
    ],
)
def test_arrays_are_joined_first_safely_where_the_type_is_told(call: str, expected: Safety) -> None:
    text = f"""\
import numpy as np
import torch


def batch_of(samples):
    rows = [np.asarray(sample) for sample in samples]
    return {call}
"""
    fix = offered(text, "tensor-from-array-list")
    assert fix is not None
    assert fix.safety is expected


def test_a_switch_that_stops_at_mistakes_is_not_safely_taken_out() -> None:
    text = """\
import jax

jax.config.update("jax_debug_nans", True)


@jax.jit
def step(weights, x):
    return weights - x
"""
    fix = offered(text, "debug-left-on")
    assert fix is not None
    assert fix.safety is Safety.UNSAFE
