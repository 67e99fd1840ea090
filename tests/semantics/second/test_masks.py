"""Indices that are arrays of truth values."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import probed

START = "import numpy as np\nimport torch\nx = torch.rand(9)\n"


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("x > 0.5", True),
        ("~(x > 0.5)", True),
        ("(given > 1) & (x > 0)", True),
        ("np.arange(9) > 4", True),
        ("torch.isnan(x)", True),
        ("given > 0", None),
        ("given.sum() > 0", True),
        ("'a' == 'b'", False),
        ("3", False),
        ("slice(3)", False),
        ("torch.argsort(x)", False),
    ],
)
def test_an_index_is_a_mask_or_may_be_one_or_is_none(index: str, expected: bool | None) -> None:
    (value,) = probed(f"{START}def f(given):\n    probe({index})\n")
    assert value.is_mask is expected
