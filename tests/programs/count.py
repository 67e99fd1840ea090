"""How many marked lines the rules find in the mixed programs, as a Markdown table.

Run as `python -m tests.programs.count [PROGRAM ...]`; without names, for all of them.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.programs.test_programs import HERE, MIXED, check


def main(names: list[str]) -> None:
    programs = [HERE / MIXED / name for name in names] or sorted((HERE / MIXED).iterdir())
    found: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            outcome = check(program, Path(folder))
        found.update(mark.rule for mark in outcome.found)
        missed.update(mark.rule for mark in outcome.missed)
        wrong.update(mark.rule for mark in outcome.false_alarms)
    print("| rule | marked | found | false alarms |\n|---|---|---|---|")
    for rule in sorted({*found, *missed, *wrong}):
        print(f"| {rule} | {found[rule] + missed[rule]} | {found[rule]} | {wrong[rule]} |")
    marked = found.total() + missed.total()
    print(f"| all of {len(programs)} programs | {marked} | {found.total()} | {wrong.total()} |")


if __name__ == "__main__":
    main(sys.argv[1:])
