"""Runs probes of compiled code with the compilers, and says what `check` tells of both sides.

    python -m benchmarks.probes evaluation/compiled/third --output FILE.csv

Each `FRAMEWORK.md` of the folder has programs as `benchmarks/compiled/` has, in pairs: `NAME: bad`
and `NAME: mended`. A bad side is told if a rule speaks that is silent on the mended one.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.compilers import FRAMEWORKS, programs_of, seen

COLUMNS = (
    "framework",
    "probe",
    "bad_side",
    "mended_side",
    "bad",
    "mended",
    "rules",
    "rules_mended",
)


def rules_on(text: str) -> list[str]:
    """The rules that speak on a program, notes and previews included."""
    from deepperf.check.run import check_text
    from deepperf.config.options import Options
    from deepperf.records import Level

    options = Options(preview=True, level=Level.NOTE)
    return sorted({one.rule for one in check_text(text, options, path="program.py").findings})


def rows(folder: Path) -> Iterator[dict[str, str]]:
    """A row for each probe of a folder."""
    for framework in FRAMEWORKS:
        path = folder / f"{framework}.md"
        if path.exists():
            texts = programs_of(path)
            done = seen(framework, texts)["programs"]
            for name in (one.removesuffix(": bad") for one in texts if one.endswith(": bad")):
                bad, mended = f"{name}: bad", f"{name}: mended"
                said, left = rules_on(texts[bad]), rules_on(texts[mended])
                values = (
                    framework,
                    name,
                    _did(done[bad]),
                    _did(done[mended]),
                    "yes" if {*said} - {*left} else "no",
                    "speaks" if left else "silent",
                    " ".join(said),
                    " ".join(left),
                )
                yield dict(zip(COLUMNS, values, strict=True))


def _did(done: dict[str, Any]) -> str:
    breaks = f", breaks at {len(done['breaks'])} lines" if done["breaks"] else ""
    return f"compiles {done['compiled']} times{breaks}"


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args(words)
    with given.output.open("x", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        for row in rows(given.folder):
            writer.writerow(row)
            print(*row.values(), sep=" | ")


if __name__ == "__main__":
    main()
