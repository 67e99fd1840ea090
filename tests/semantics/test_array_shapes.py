"""The shapes of arrays are told by what makes them."""

from __future__ import annotations

import pytest

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.project import Project
from deepperf.semantics.sizes.array_shapes import array_shape
from deepperf.semantics.text.source import Source, role_of

BEFORE = """
import jax
import jax.numpy as jnp
import keras
import numpy as np
import tensorflow as tf
import torch

rng = np.random.default_rng(0)
grown = []


N = 300
grid = np.mgrid[:N, :N]
left, right = grid.reshape(2, -1)
codes = np.zeros((N, 8))


def ask(image, n, axis):
    table = np.zeros((4, 3))
"""


def asked(expression: str) -> tuple[int | None, ...] | None:
    text = f"{BEFORE}    return {expression}\n"
    analysis = Analysis(Project({"ask.py": Source("ask.py", text, role_of("ask.py"))}), "ask.py")
    scope = analysis.module("ask.py").scopes.module.children[-1]
    return array_shape(analysis, scope.returns[0], scope)


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("np.zeros((4, 3))", (4, 3)),
        ("np.full((4, n), 0.5)", (4, None)),
        ("np.ones(shape=5)", (5,)),
        ("np.eye(3)", (3, 3)),
        ("torch.eye(4, 3)", (4, 3)),
        ("jnp.zeros((4, 3))", (4, 3)),
        ("torch.zeros(4, 3)", (4, 3)),
        ("torch.ones((4, 3), dtype=torch.float64)", (4, 3)),
        ("torch.full((4, 3), 1.0)", (4, 3)),
        ("tf.fill([4, 3], 0)", (4, 3)),
        ("keras.ops.zeros((4, 3))", (4, 3)),
        ("np.random.rand(4, 3)", (4, 3)),
        ("rng.normal(0.0, 1.0, size=(4, 3))", (4, 3)),
        ("torch.randn(4, 3, device='cpu')", (4, 3)),
        ("jax.random.normal(n, (4, 3))", (4, 3)),
    ],
)
def test_an_array_has_the_shape_that_its_maker_is_asked_for(
    expression: str, shape: tuple[int | None, ...]
) -> None:
    assert asked(expression) == shape


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("np.float32(table)", (4, 3)),
        ("torch.from_numpy(table).float().cuda()", (4, 3)),
        ("jnp.asarray(table)", (4, 3)),
        ("np.zeros_like(table)", (4, 3)),
        ("tf.constant(table)", (4, 3)),
        ("np.exp(table)", (4, 3)),
        ("np.expand_dims(table, -1)", (4, 3, 1)),
        ("torch.zeros(4, 3).unsqueeze(0)", (1, 4, 3)),
        ("torch.unsqueeze(torch.zeros(4, 3), dim=1)", (4, 1, 3)),
        ("np.reshape(table, (2, -1))", (2, 6)),
        ("keras.ops.reshape(table, (2, 6))", (2, 6)),
        ("table.reshape(6, 2)", (6, 2)),
    ],
)
def test_what_is_made_of_an_array_keeps_or_changes_its_shape(
    expression: str, shape: tuple[int | None, ...]
) -> None:
    assert asked(expression) == shape


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("np.array([0.5, 0.4, -0.3])", (3,)),
        ("torch.tensor([[1, 2], [3, 4], [5, 6]])", (3, 2)),
    ],
)
def test_numbers_in_lists_are_counted(expression: str, shape: tuple[int | None, ...]) -> None:
    assert asked(expression) == shape


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("codes", (300, 8)),
        ("codes[left] - codes[right]", (90000, 8)),
        ("np.repeat(codes, 4, axis=0)", (1200, 8)),
        ("np.tile(codes, (4, 1))", (1200, 8)),
        ("np.stack([left, right], axis=1)", (90000, 2)),
        ("np.meshgrid(np.arange(5), np.arange(4))", (2, 4, 5)),
        ("np.stack(np.meshgrid(np.arange(5), np.arange(4)), axis=-1)", (4, 5, 2)),
        ("np.stack(np.meshgrid(np.arange(5), np.arange(4)), -1).reshape(-1, 2)", (20, 2)),
        ("np.stack([codes, codes, codes], 1)", (300, 3, 8)),
        ("np.dstack((codes, codes))", (300, 8, 2)),
        ("np.random.rand(len(codes), 3)", (300, 3)),
        ("codes.reshape(-1, 2)", (1200, 2)),
        ("codes.T", (8, 300)),
        ("np.meshgrid(np.arange(5), np.arange(4), indexing='ij')", (2, 5, 4)),
        ("torch.meshgrid(torch.arange(5), torch.arange(4))", (2, 5, 4)),
        ("np.vstack((np.arange(5), np.arange(5)))", (2, 5)),
        ("np.concatenate([codes, codes])", (600, 8)),
        ("np.c_[left, right]", (90000, 2)),
        ("np.linspace(0.0, 1.0, 11)", (11,)),
        ("codes[0]", (8,)),
        ("codes[:, None]", (300, 1, 8)),
        ("codes[:5]", (None, 8)),
        ("codes @ np.zeros((8, 2))", (300, 2)),
        ("np.zeros((len(codes), codes.shape[1] ** 2))", (300, 64)),
        ("image - table", (4, 3)),
    ],
)
def test_shapes_follow_from_literals_and_grids(
    expression: str, shape: tuple[int | None, ...]
) -> None:
    assert asked(expression) == shape


def test_a_function_gives_what_it_returns_for_all_its_callers() -> None:
    text = (
        "import numpy as np\n"
        "def made(size):\n"
        "    return np.zeros((size, 3))\n"
        "def ask():\n"
        "    return made(7)\n"
    )
    analysis = Analysis(Project({"ask.py": Source("ask.py", text, role_of("ask.py"))}), "ask.py")
    scope = analysis.module("ask.py").scopes.module.children[-1]
    assert array_shape(analysis, scope.returns[0], scope) == (7, 3)


@pytest.mark.parametrize(
    "expression",
    [
        "image",
        "np.stack([codes, codes, codes], axis)",
        "codes @ image",
        "codes[image]",
        "np.array([image, image])",
        "np.array(grown)",
        "np.array([])",
        "np.array([[1, 2], [3]])",
        "np.random.normal(0.0, 1.0)",
        "torch.zeros(*n)",
        "np.linalg.inv(table)",
        "torch.distributions.Normal(image, image).sample((4,))",
    ],
)
def test_a_shape_that_the_text_does_not_tell_is_not_known(expression: str) -> None:
    assert asked(expression) is None


@pytest.mark.parametrize(("caller", "shape"), [("job.py", (3, 24)), ("test_work.py", None)])
def test_what_only_tests_pass_tells_no_shape(
    caller: str, shape: tuple[int | None, ...] | None
) -> None:
    texts = {
        "work.py": "def work(days):\n    return days\n",
        caller: "import numpy as np\nfrom work import work\nwork(np.zeros((3, 24)))\n",
    }
    sources = {path: Source(path, text, role_of(path)) for path, text in texts.items()}
    analysis = Analysis(Project(sources), "work.py")
    scope = analysis.module("work.py").scopes.module.children[-1]
    assert array_shape(analysis, scope.returns[0], scope) == shape
