"""What is compiled again and again is compiled once after its fix, and gives the same."""

from __future__ import annotations

import pytest
from benchmarks.compilers import likeness, mended, programs, seen

CHANGED = {
    "tensorflow": ("a rate of numbers alone", "rates of a schedule that an object keeps"),
    "torch": ("an axis that is said to stay", "tokens joined, and no dynamic shapes"),
}
MOST = 2
"""PyTorch compiles the second shape for all that follow."""


@pytest.mark.parametrize("framework", CHANGED)
def test_fixed_programs_compile_once_and_give_the_same(framework: str) -> None:
    pytest.importorskip(framework)
    texts = {name: programs(framework)[name] for name in CHANGED[framework]}
    changed = mended(framework)
    fixed = {name: changed[name] for name in CHANGED[framework]}
    before, after = (seen(framework, one)["programs"] for one in (texts, fixed))
    assert all(done["compiled"] > MOST for done in before.values())
    assert all(done["compiled"] <= MOST for done in after.values())
    for name in texts:
        assert likeness(before[name]["result"], after[name]["result"]) in ("equal", "close")
