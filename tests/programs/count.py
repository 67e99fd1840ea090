"""How many marked lines the rules find in the mixed programs, as a Markdown table.

Run as `python -m tests.programs.count [--level LEVEL] [PROGRAM ...]`; without names, for all of
them, and without a level, notes included.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from tests.programs.test_programs import HERE, MIXED, check

from deepperf.records import Level


def main(names: list[str], least: Level) -> None:
    programs = [HERE / MIXED / name for name in names] or sorted((HERE / MIXED).iterdir())
    found: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            outcome = check(program, Path(folder), least)
        found.update(mark.rule for mark in outcome.found)
        missed.update(mark.rule for mark in outcome.missed)
        wrong.update(mark.rule for mark in outcome.false_alarms)
    print("| rule | marked | found | false alarms |\n|---|---|---|---|")
    for rule in sorted({*found, *missed, *wrong}):
        print(f"| {rule} | {found[rule] + missed[rule]} | {found[rule]} | {wrong[rule]} |")
    marked = found.total() + missed.total()
    print(f"| all of {len(programs)} programs | {marked} | {found.total()} | {wrong.total()} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--level", choices=[level.name.lower() for level in Level], default="note")
    wanted = parser.parse_args()
    main(wanted.programs, Level[wanted.level.upper()])
