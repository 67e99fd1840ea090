"""What an iteration keeps, and whether it does anything besides."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import file

LOOP = """
import torch


def made(count, log):
    found, total = [], 0.0
    {head}
        one = torch.rand(1)
        {line}
    return found, total
"""


@pytest.mark.parametrize(
    ("line", "kept", "computes"),
    [
        ("found.append(one)", True, True),
        ("found.append(2.0 * one.item() + 1.0)", True, True),
        ("found.append(log(one))", None, None),
        ("print(one)", False, False),
        ("found.append(one); print(count)", True, False),
        ("if count: found.append(one)", False, True),
        ("found.append(one); log.last = 1", True, False),
        ("total += one", False, True),
        ("total += one; found.append(total)", True, True),
        ("found.append(one > 0.5)", False, True),
    ],
)
def test_what_an_iteration_does_with_a_value(line: str, kept: object, computes: object) -> None:
    text_file = file(LOOP.format(head="for _ in range(count):", line=line))
    (loop,) = text_file.loops()
    drawn = next(call for call in loop.calls() if call.name == "torch.rand")
    assert drawn.result.is_kept_by(loop) is kept
    assert loop.only_computes is computes


def test_what_decides_whether_a_loop_goes_on_is_not_only_kept() -> None:
    text_file = file(LOOP.format(head="while total < count:", line="total += one"))
    (loop,) = text_file.loops()
    drawn = next(call for call in loop.calls() if call.name == "torch.rand")
    assert drawn.result.is_kept_by(loop) is False


def test_a_loop_that_ends_early_does_not_only_compute() -> None:
    line = "found.append(one)\n        if count > 3:\n            break"
    text_file = file(LOOP.format(head="for _ in range(count):", line=line))
    (loop,) = text_file.loops()
    assert loop.only_computes is False


def test_a_function_that_only_computes_is_seen_through() -> None:
    text_file = file(
        """
import torch


def drawn(most):
    return torch.rand(1) * most


def told(most):
    print(most)
    return torch.rand(1)


def all_drawn(limits):
    return [drawn(limit) for limit in limits], [told(limit) for limit in limits]
"""
    )
    assert [loop.only_computes for loop in text_file.loops()] == [True, False]
