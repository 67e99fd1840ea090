"""A loss that is computed once more beside its gradient is told, where both take the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.recording.trace import Observation, Samples, Trace
from deepperf.dynamic.signals import gradient_apart

TRAINING = """\
def epoch(params, batches, update):
    for batch in batches:
        loss = loss_step(params, batch)
        grads = grad_step(params, batch)
        params = update(params, grads)
"""
OTHERS = {
    "other rows": ("grad_step(params, batch)", "grad_step(params, next(others))"),
    "other weights": ("loss = loss_step(params", "params = loss_step(params"),
    "the same function again": ("grad_step", "loss_step"),
    "nothing": ("(params, batch)\n", "()\n"),
}


def compiling(path: Path, *, second: str = "loss_fn", shape: str = "float32[4,8] 7") -> Trace:
    """Two lines of a loop that each compile a function, and take a good part of the run."""

    def line(number: int, name: str, shape: str) -> Observation:
        entry = {"count": 1, "seconds": 1.0, "shapes": [shape], "library": False, "told": 1}
        detail = {"functions": {name: entry}}
        return Observation("recompilation jax", str(path), number, "epoch", 0, detail=detail)

    return trace_of(
        path,
        observations=(line(3, "loss_fn", "float32[4,8] 7"), line(4, second, shape)),
        samples=(
            Samples(str(path), 3, "epoch", 100, 100, 0),
            Samples(str(path), 4, "epoch", 300, 300, 0),
        ),
    )


def test_a_loss_beside_its_gradient_is_told_at_the_line_that_takes_less(tmp_path: Path) -> None:
    path = script(tmp_path, TRAINING)
    (one,) = gradient_apart.diagnose(compiling(path))
    assert (one.line, one.share, one.weight) == (3, 0.2, Weight.TIME)
    assert "at line 4" in one.evidence


@pytest.mark.parametrize(("text", "instead"), OTHERS.values(), ids=OTHERS.keys())
def test_what_takes_something_else_is_not(tmp_path: Path, text: str, instead: str) -> None:
    path = script(tmp_path, TRAINING.replace(text, instead))
    assert [*gradient_apart.diagnose(compiling(path))] == []


@pytest.mark.parametrize("other", [{"second": "metric_fn"}, {"shape": "float32[9,8] 8"}])
def test_other_functions_and_arrays_of_other_shapes_are_not(
    tmp_path: Path, other: dict[str, str]
) -> None:
    path = script(tmp_path, TRAINING)
    assert [*gradient_apart.diagnose(compiling(path, **other))] == []


FACTORY = """

def made(scale):
    def loss_fn(params, batch):
        return scale * params @ batch
    return jax.jit(loss_fn)
"""


def test_two_functions_that_a_factory_made_are_not(tmp_path: Path) -> None:
    path = script(tmp_path, TRAINING + FACTORY)
    assert [*gradient_apart.diagnose(compiling(path))] == []


def test_a_function_of_the_file_is_one(tmp_path: Path) -> None:
    path = script(
        tmp_path, TRAINING + "\n\ndef loss_fn(params, batch):\n    return params @ batch\n"
    )
    assert len([*gradient_apart.diagnose(compiling(path))]) == 1
