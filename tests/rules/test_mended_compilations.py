"""What is compiled again and again is compiled once after its fix, and gives the same."""

from __future__ import annotations

import pytest
from benchmarks.compilers import HOME, likeness, mended, programs, programs_of, seen

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Level, Safety

CHANGED = {
    "tensorflow": (
        "a rate of numbers alone",
        "rates of a schedule that an object keeps",
        "a number that partial binds",
        "windows of an object",
    ),
    "torch": (
        "an axis that is said to stay",
        "tokens joined, and no dynamic shapes",
        "options of a data class",
    ),
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


def test_fixed_branches_break_no_graph_and_give_the_same() -> None:
    pytest.importorskip("torch")
    names = ("a limit that a method asks for", "two layers in two arms")
    texts = {name: programs("torch")[name] for name in names}
    changed = mended("torch")
    fixed = {name: changed[name] for name in names}
    before, after = (seen("torch", one)["programs"] for one in (texts, fixed))
    for name in names:
        assert before[name]["breaks"]
        assert not after[name]["breaks"]
        assert likeness(before[name]["result"], after[name]["result"]) == "equal"


PROBES = {
    # Traces or compilations before and after; of the first, those of the data set and the optimizer
    # as well. Its draws differ with the number of traces: they are told by the graph's own seed.
    "tensorflow": {
        "baskets from a stream": (15, 2, "equal"),
        "sentences padded by batch": (25, 11, "equal"),
        "exploration that decays": (20, 1, "unlike"),
    },
    "torch": {"a worker that batches what waits": (7, 2, "equal")},
}


@pytest.mark.weekly
@pytest.mark.parametrize("framework", PROBES)
def test_fixed_probes_compile_less(framework: str) -> None:
    pytest.importorskip(framework)
    folder = HOME.parent / "evaluation" / "compiled" / "third"
    texts = programs_of(folder / f"{framework}.md")
    options = Options(preview=True, level=Level.NOTE)
    sides = {}
    for name in PROBES[framework]:
        sides[name] = text = texts[f"{name}: bad"]
        sides[f"{name}: fixed"] = fix_text(
            text, lambda now: check_text(now, options, path="program.py").findings, Safety.UNSAFE
        ).text
    done = seen(framework, sides)["programs"]
    for name, expected in PROBES[framework].items():
        before, after = done[name], done[f"{name}: fixed"]
        same = likeness(before["result"], after["result"])
        assert (before["compiled"], after["compiled"], same) == expected, name
