"""What revisions are timed on."""

from __future__ import annotations

import ast
from pathlib import Path

from benchmarks.processes import Cost
from benchmarks.revisions import Row, _middle, _shown, _small


def project(folder: Path) -> Path:
    (folder / "long.py").write_text("import torch\n" + "x = [\n    1,\n]\n" * 40, "utf-8")
    (folder / "short.py").write_text("import torch\n", "utf-8")
    (folder / "torchless.py").write_text("y = 1\n" * 30, "utf-8")
    return folder


def test_the_edited_file_is_of_middle_size_and_names_torch(tmp_path: Path) -> None:
    assert _middle(project(tmp_path)).name == "long.py"


def test_the_small_file_parses_and_has_at_most_fifty_lines(tmp_path: Path) -> None:
    target = tmp_path / "small.txt"
    _small(project(tmp_path), target)
    text = target.read_text("utf-8")
    assert ast.parse(text).body
    assert 45 < len(text.splitlines()) <= 50


def test_costs_are_told_beside_those_of_the_first_revision() -> None:
    rows = [
        Row(revision, "p", 1, 10, "cold", (Cost(cpu, cpu, 1), Cost(cpu + 2, cpu, 1)))
        for revision, cpu in (("old", 3.0), ("new", 1.0))
    ]
    assert list(_shown(rows)) == [
        "p (10 lines): cold: old: 4.00 CPU seconds (1.00)",
        "p (10 lines): cold: new: 2.00 CPU seconds (0.50)",
    ]
