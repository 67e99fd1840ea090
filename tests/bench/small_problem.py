"""A problem that takes a moment: what others do in tests of problems."""

from __future__ import annotations

from pathlib import Path

TOML = """\
post = 1234
title = "Each number is squared again for each sum"
framework = "numpy"
era = "NumPy 1.20, 2021"
confidence = "reconstructed-low"
cause = "missed-batch-api"
symptoms = ["slow-execution"]
introduced = "data-preparation"
exposed = "data-preparation"
static = "source"
rules = ["per-slice-op"]

[measured]
quantity = "squares taken"
size = "10 numbers"
same = "both give the sum of the same numbers"
"""
BUGGY = """\
import numpy as np


def square(numbers):
    squares.append(1)
    return np.square(numbers)


def main():
    numbers = np.arange(10.0)
    return sum(square(number) for number in numbers)  # finding


squares = []

if __name__ == "__main__":
    print(main())
"""
FIXED = BUGGY.replace(
    "sum(square(number) for number in numbers)  # finding", "square(numbers).sum()"
)
SIBLING = """\
import numpy as np


def energy(signal):
    total = 0.0
    for sample in signal:
        total += np.square(sample)  # finding
    return total
"""
WORKLOAD = """\
from __future__ import annotations


def work():
    return main()


def count():
    return len(squares)
"""


def written(root: Path, name: str = "so-1234") -> Path:
    """The folder of a sound problem, written below `root`."""
    folder = root / name
    folder.mkdir(parents=True)
    contents = {
        "problem.toml": TOML,
        "buggy.py": BUGGY,
        "fixed.py": FIXED,
        "sibling.py": SIBLING,
        "workload.py": WORKLOAD,
    }
    for path, text in contents.items():
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def changed(path: Path, old: str, new: str) -> None:
    """Replace `old`, which must be there, by `new` in the file at `path`."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
