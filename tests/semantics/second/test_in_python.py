"""Which functions Python runs as they stand, and which calls compute gradients there."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import MAIN, calls, files, function, loops

from deepperf.semantics.query import LoopKind

START = "import jax\nimport jax.numpy as jnp\nfrom functools import partial\n"
WORK = "def work(x):\n    return jnp.sin(x) + 1\n"


@pytest.mark.parametrize(
    "text",
    [
        WORK + "work(1)",
        WORK + "def main():\n    return work(1)\nmain()",
        "def work(x):\n    return float(jnp.sin(x))",
        "class A:\n    def work(self, x):\n        self.kept = jnp.sin(x)",
        "@staticmethod\n" + WORK + "work(1)",
        "def work(x):\n    yield jnp.sin(x)",
    ],
)
def test_python_runs_what_a_file_leads_to_and_what_no_tracer_could(text: str) -> None:
    assert function(START + text, "work").is_run_by_python


@pytest.mark.parametrize(
    "text",
    [
        WORK,
        WORK + "jax.jit(work)(1)",
        WORK + "@jax.jit\ndef all(x):\n    return work(x)\nall(1)\nwork(2)",
        "@unheard_of\n" + WORK + "work(1)",
        "from flax import nnx\nclass A(nnx.Module):\n    def work(self, x):\n        self.x = x",
        "class A:\n    def __init__(self):\n        self.work = lambda x: x\n" + WORK,
    ],
)
def test_python_is_not_seen_to_run_what_may_be_traced(text: str) -> None:
    assert not function(START + text, "work").is_run_by_python


@pytest.mark.parametrize(
    "text",
    [
        "jax.grad(work)(1)",
        "run = jax.value_and_grad(work)\nrun(1)",
        "run = jax.vmap(jax.grad(work))\nrun(1)",
        "def go(run):\n    run(1)\ngo(jax.grad(work))",
    ],
)
def test_a_gradient_is_computed_where_what_grad_gives_is_called(text: str) -> None:
    names = ("run", "self.run", "jax.grad(work)")
    (call,) = (one for name in names for one in calls(START + WORK + text, name))
    assert call.gradient_makers


@pytest.mark.parametrize(
    "text",
    [
        "run = jax.jit(jax.grad(work))\nrun(1)",
        "run = jax.grad\nrun(work)",
        "run = work\nrun(1)",
        "@jax.jit\ndef run(x):\n    return jax.grad(work)(x)\nrun(1)",
    ],
)
def test_what_is_compiled_or_only_made_computes_no_gradient(text: str) -> None:
    (call,) = calls(START + WORK + text, "run")
    assert not call.gradient_makers


def test_a_loop_that_calls_a_gradient_made_before_it_takes_steps() -> None:
    text = WORK + "slope = jax.grad(work)\nx = 1.0\nfor _ in range(99):\n    x -= slope(x)\n"
    (loop,) = loops(START + text)
    assert loop.kind is LoopKind.STEP


@pytest.mark.parametrize(
    ("run", "by"),
    [
        ("partial(jax.jit(work), 1)", "compiled"),
        ("partial(jax.jit(partial(work, 1)))", "compiled"),
        ("partial(work, 1)", "python"),
        ("jax.vmap(work)", "python"),
    ],
)
def test_what_was_compiled_stays_so_with_some_of_its_arguments(run: str, by: str) -> None:
    (call,) = calls(f"{START}{WORK}run = {run}\nrun(1)", "run")
    assert call.runs_compiled is (by == "compiled")


def test_a_training_that_every_nth_iteration_begins_is_no_rare_thing() -> None:
    text = (
        "def work(x):\n    return jax.grad(jnp.sin)(x)\n"
        "def main(n):\n    for i in range(100):\n        if i % n == 0:\n"
        "            for _ in range(50):\n                work(1.0)\nmain(9)"
    )
    assert "step" in function(START + text, "work").runs_for
    assert "seldom" not in function(START + text, "work").runs_for


def test_a_call_of_a_subclass_runs_the_call_method_that_it_inherits() -> None:
    text = (
        "class Base:\n    def __call__(self, x):\n        return x\n"
        "class One(Base):\n    pass\n"
        "class Own(Base):\n    def __call__(self, x):\n        return 1\n"
        "one, own = One(), Own()\none(1)\nown(2)\n"
    )
    (base,) = [one for one in function(text, "__call__").file.functions() if one.location.line == 2]
    assert [call.text for call in base.callers()] == ["one(1)"]


@pytest.mark.parametrize("text", ["from well import pull\npull(1)", "import well\nwell.pull(1)"])
def test_a_gradient_that_another_file_makes_is_computed_where_it_is_called(text: str) -> None:
    well = "import jax\ndef energy(x):\n    return x\npull = jax.grad(energy)\n"
    (call,) = files({MAIN: text, "well.py": well}).calls()
    assert call.gradient_makers
