"""Indices that are arrays of truth values."""

from __future__ import annotations

from textwrap import dedent

import pytest
from tests.semantics.second.written import probed

START = "import numpy as np\nimport torch\nx = torch.rand(9)\n"


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("x > 0.5", "yes"),
        ("~(x > 0.5)", "yes"),
        ("(given > 1) & (x > 0)", "yes"),
        ("np.arange(9) > 4", "yes"),
        ("torch.isnan(x)", "yes"),
        ("given > 0", "unknown"),
        ("given.sum() > 0", "yes"),
        ("'a' == 'b'", "no"),
        ("3", "no"),
        ("slice(3)", "no"),
        ("torch.argsort(x)", "no"),
    ],
)
def test_an_index_is_a_mask_or_may_be_one_or_is_none(index: str, expected: str) -> None:
    (value,) = probed(f"{START}def f(given):\n    probe({index})\n")
    assert {True: "yes", None: "unknown", False: "no"}[value.is_mask] == expected


def test_a_mask_is_followed_into_functions_and_dicts() -> None:
    given = """
    def large(given):
        return torch.rand(9) > given


    def either(given):
        if given:
            return torch.rand(9) > given
        return given


    def f(given, limit):
        batch = {"valid": torch.rand(9) > 0.5, "order": torch.argsort(given)}
        probe(large(limit))
        probe(either(limit))
        probe(batch["valid"])
        probe(batch["order"])
    """
    found = probed("import torch\n" + dedent(given))
    assert [value.is_mask for value in found] == [True, False, True, False]


def test_a_parameter_is_a_mask_where_all_that_is_seen_passes_one() -> None:
    text = """
    import torch


    def picks(x, mask, order, either):
        probe(mask)
        probe(order)
        probe(either)


    def f(x):
        picks(x, x.sum(1) > 0, torch.argsort(x), torch.isnan(x))
        picks(x, torch.isnan(x), torch.argsort(x), torch.argsort(x))


    def unseen(mask):
        probe(mask)
    """
    found = [value.is_mask for value in probed(dedent(text))]
    assert found == [True, False, False, False]
