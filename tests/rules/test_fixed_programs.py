"""`check --fix` on whole programs, and what the compilers say of these before and after."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.compilers import HOME, likeness, programs_of, seen

from deepperf.cli.main import main

COUNTS = {
    # Graph breaks, and compilations, before and after. What follows a break is not counted as
    # compiled; three functions of TensorFlow's are those of the data set.
    "torch": ((3, 0), (1, 1)),
    "tensorflow": ((0, 0), (19, 6)),
    "jax": ((0, 0), (15, 1)),
    "transformers": ((2, 0), (1, 1)),
}


@pytest.mark.weekly
@pytest.mark.parametrize("name", COUNTS)
def test_a_fixed_program_breaks_and_compiles_less_and_gives_the_same(
    name: str, tmp_path: Path
) -> None:
    pytest.importorskip(name)
    text = programs_of(HOME / "compiled" / "fixed.md")[name]
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    main(["check", str(path), "--fix", "--unsafe-fixes", "--level", "note"])
    sides = {"before": text, "after": path.read_text(encoding="utf-8")}
    done = seen("torch" if name == "transformers" else name, sides)["programs"]
    before, after = done["before"], done["after"]
    breaks, compiled = COUNTS[name]
    assert (len(before["breaks"]), len(after["breaks"])) == breaks
    assert (before["compiled"], after["compiled"]) == compiled
    assert likeness(before["result"], after["result"]) in ("equal", "close")
