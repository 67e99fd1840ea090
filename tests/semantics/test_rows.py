"""How many rows an array has, where the text tells."""

from __future__ import annotations

import ast

import pytest

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.project import Project
from deepperf.semantics.sizes.rows import rows
from deepperf.semantics.text.source import Source, role_of

BEFORE = """
import numpy as np
import tensorflow as tf

N = 300
grid = np.mgrid[:N, :N]
left, right = grid.reshape(2, -1)
codes = np.zeros((N, 8))


def one(image):
    image = image / 255.0
    return np.expand_dims(image, 0)


def ask(image, images, i, width):
"""


def asked(expression: str) -> tuple[Analysis, ast.expr, object]:
    text = f"{BEFORE}    return {expression}\n"
    project = Project({"ask.py": Source("ask.py", text, role_of("ask.py"))})
    analysis = Analysis(project, "ask.py")
    scope = analysis.module("ask.py").scopes.module.children[-1]
    return analysis, scope.returns[0], scope


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        ("np.expand_dims(image, axis=0)", 1),
        ("tf.expand_dims(image, 0)", 1),
        ("image[np.newaxis, ...]", 1),
        ("image[None]", 1),
        ("image.reshape(1, -1)", 1),
        ("np.reshape(image, (1, 28, 28))", 1),
        ("np.array([image])", 1),
        ("np.vstack([image[None], image[None]])", 2),
        ("images[i:i + 1]", 1),
        ("images[:3]", 3),
        ("images[-2:]", 2),
        ("images[[i]].astype('float32') / 255.0", 1),
        ("one(image)", 1),
        ("[0] * N", 300),
        ("np.stack([image, image])", 2),
        ("np.stack([codes, codes], axis=1)", 300),
        ("np.stack([image, image], axis=1)", None),
        ("[image, image] + [image]", 3),
        ("np.transpose(image[None], (0, 2, 1, 3))", 1),
        ("tf.transpose(image[None], perm=[0, 2, 1])", 1),
        ("image[None].swapaxes(1, 2)", 1),
        ("image[None].permute(0, 2, 3, 1)", 1),
        ("np.transpose(image[None], (1, 0, 2))", None),
        ("image[None].transpose(0, 1)", None),
        ("width * [image]", None),
        ("image[None].transpose()", None),
        ("images[i:i + width]", None),
        ("images[i:]", None),
        ("np.expand_dims(image, -1)", None),
        ("image.reshape(-1, 28)", None),
        ("images", None),
    ],
)
def test_rows_are_counted_where_the_text_tells(expression: str, count: int | None) -> None:
    assert rows(*asked(expression)) == count  # type: ignore[arg-type]
