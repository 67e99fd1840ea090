"""An `if` becomes one expression where its arms only give a value."""

from __future__ import annotations

import pytest

from deepperf.fixes.apply import apply_edits
from deepperf.fixes.branches import chosen


def rewritten(body: str) -> str | None:
    """The body of a function of `x` whose `if` asks `x > 0`, with that as a call of `pick`."""
    text = f"def f(x):\n{body}"
    start = text.index("x > 0")
    found = chosen(text, start, start + len("x > 0"), "pick")
    return None if found is None else apply_edits(text, (found.edit,)).partition("\n")[2]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("  if x > 0:\n    x = x / 2\n  return x\n", "  x = pick(x > 0, x / 2, x)\n  return x\n"),
        ("  if x > 0:\n    y = -x\n  else:\n    y = g(x)\n", "  y = pick(x > 0, -x, g(x))\n"),
        ("  if x > 0:\n    return x\n  return 2 * x\n", "  return pick(x > 0, x, 2 * x)\n"),
        ("  return x if x > 0 else 0.0\n", "  return pick(x > 0, x, 0.0)\n"),
    ],
)
def test_both_arms_become_arguments(body: str, expected: str) -> None:
    assert rewritten(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "  if x > 0:\n    y = x\n",  # it may have no value yet
        "  if x > 0:\n    x = x / 2\n    g(x)\n",
        "  if x > 0:\n    x += 1\n",  # others may hold what it changes
        "  if x > 0:\n    y = x\n  else:\n    z = x\n",
        "  if x > 0:\n    return x\n  g(x)\n",
        "  if x > 0:\n    x = None\n",
        "  if x > 0:\n    x = [g(y) for y in x]\n",
        "  if x > 0:  # here\n    x = x / 2\n",
        "  if g(x):\n    x = 1\n  elif x > 0:\n    x = 2\n",
    ],
)
def test_what_does_more_is_left_alone(body: str) -> None:
    assert rewritten(body) is None
