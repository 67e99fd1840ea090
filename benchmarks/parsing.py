"""Parses the files of a folder that people wrote, and does nothing else: what no checker that is
built on `ast` can cost less than. `python benchmarks/parsing.py FOLDER`."""

from __future__ import annotations

import ast
import gc
import sys
import warnings
from pathlib import Path

from deepperf.check.generated import is_generated


def main(folder: Path) -> None:
    """Parse each file by itself; what is no Python is passed over."""
    # As deepperf does: collecting what is alive costs more than parsing.
    gc.disable()
    warnings.simplefilter("ignore")
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        if is_generated(path.name, data):
            continue
        try:
            ast.parse(data)
        except (SyntaxError, ValueError):
            continue


if __name__ == "__main__":
    main(Path(sys.argv[1]))
