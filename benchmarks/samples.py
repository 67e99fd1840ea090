"""What `check` tells of the samples of the catalogue: a program with each candidate, and mended.

    python -m benchmarks.samples evaluation/samples/first --output FILE

`planted.csv` of the folder names for each candidate a program of `programs/` (`…_bad.py`, beside
it `…_good.py`), the lines between which a finding is right, and perhaps others (`also`). Each
program is checked as a project of its own, with notes.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.recall import Places, told_places

COLUMNS = ("rank", "candidate", "weight", "told", "rules", "elsewhere", "mended")


def rows(folder: Path) -> Iterator[dict[str, str]]:
    """A row for each sample: what is said at its lines, elsewhere in it, and on the mended side."""
    with (folder / "planted.csv").open(encoding="utf-8", newline="") as stream:
        for sample in csv.DictReader(stream):
            yield _row(folder / "programs", sample)


def _row(programs: Path, sample: Mapping[str, str]) -> dict[str, str]:
    places = _checked(programs / sample["file"])
    lines = {*range(int(sample["line"]), int(sample["last_line"]) + 1)}
    lines |= {int(line) for line in sample.get("also", "").split()}
    here = {one for (_, line), said in places.items() if line in lines for one in said}
    every = {one for said in places.values() for one in said}
    mended = _checked(programs / sample["file"].replace("_bad.py", "_good.py"))
    levels = {level for _, level in here}
    return {
        "rank": sample["rank"],
        "candidate": sample["candidate"],
        "weight": sample["weight"],
        "told": "warning" if "warning" in levels else "note" if levels else "no",
        "rules": _words(here),
        "elsewhere": _words(every - here),
        "mended": _words({one for said in mended.values() for one in said}),
    }


def _checked(program: Path) -> Places:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(program, folder)
        return told_places(Path(folder))[0]


def _words(said: set[tuple[str, str]]) -> str:
    return " ".join(sorted(f"{rule}:{level}" for rule, level in said))


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args(words)
    with given.output.open("x", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows(given.folder):
            writer.writerow(row)
            stream.flush()


if __name__ == "__main__":
    main()
