"""Times revisions of deepperf beside each other: `python -m benchmarks.revisions OLD NEW`.

Each is a commit of this repository, or the folder of one's sources. On every project each one
checks all files cold, one small file, and all files again after a function was added to a file.
The revisions take turns, so that what else the machine does falls on all alike.
"""

from __future__ import annotations

import argparse
import datetime
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.installed import versions_of
from benchmarks.processes import Cost, measured
from benchmarks.subjects import Subject, copy_of, folder_of, python_files
from deepperf.bench.machine import this_machine
from deepperf.check.cache import FOLDER_VARIABLE

_COMMAND = ("-m", "deepperf", "check", "--jobs", "1", "--exit-zero")
_ADDED = "\n\ndef added_by_the_benchmark(value):\n    return value + 1\n"
_SMALL = 50
"""Lines of the file that is checked alone."""


@dataclass(frozen=True, slots=True)
class Row:
    """The costs of one revision on one project, in the order in which they were measured."""

    revision: str
    project: str
    files: int
    lines: int
    measure: str
    costs: tuple[Cost, ...]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.revisions", description=__doc__)
    parser.add_argument("revisions", nargs="+", metavar="REVISION")
    parser.add_argument("--projects", nargs="+", required=True, metavar="FOLDER")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="deepperf-revisions-") as name:
        scratch = Path(name)
        sources = {one: _sources(one, scratch) for one in arguments.revisions}
        rows = [
            row
            for folder in arguments.projects
            for row in _rows(Path(folder), sources, arguments.repetitions, scratch)
        ]
    result = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": asdict(this_machine()),
        "load": os.getloadavg(),
        "python": sys.version.split()[0],
        "versions": dict(versions_of(("deepperf", "msgspec"))),
        "commits": {one: _commit(one) for one in arguments.revisions},
        "rows": [asdict(row) for row in rows],
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for line in _shown(rows):
        print(line)
    return 0


def _commit(revision: str) -> str:
    command = ["git", "rev-parse", "HEAD" if os.path.isdir(revision) else revision]
    folder = revision if os.path.isdir(revision) else "."
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return found.stdout.strip()


def _sources(revision: str, scratch: Path) -> Path:
    """The folder with the package of a revision."""
    if os.path.isdir(revision):
        return Path(revision).absolute()
    packed = subprocess.run(["git", "archive", revision, "src"], capture_output=True, check=True)
    folder = scratch / f"at-{revision}"
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def _rows(
    folder: Path, sources: Mapping[str, Path], repetitions: int, scratch: Path
) -> Iterator[Row]:
    project = copy_of(folder.name, folder_of(str(folder)), scratch / "projects")
    costs: dict[tuple[str, str], list[Cost]] = {}
    for repetition in range(-1, repetitions):
        names = list(sources)
        turn = repetition % len(names)
        for name in (*names[turn:], *names[:turn]):
            for measure, cost in _costs(project, sources[name], scratch / "run"):
                if repetition >= 0:  # the first time writes byte code
                    costs.setdefault((name, measure), []).append(cost)
    order = list(sources)
    for (name, measure), found in sorted(costs.items(), key=lambda one: order.index(one[0][0])):
        yield Row(name, project.name, project.files, project.lines, measure, tuple(found))


def _costs(project: Subject, sources: Path, scratch: Path) -> Iterator[tuple[str, Cost]]:
    shutil.rmtree(scratch, ignore_errors=True)
    checked = shutil.copytree(project.folder, scratch / "project")
    alone = scratch / "alone"
    alone.mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": str(sources),
        FOLDER_VARIABLE: str(scratch / "cache"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def run(path: Path, *options: str) -> Cost:
        command = (sys.executable, *_COMMAND, *options, str(path))
        return measured(command, scratch, (0, 3), environment)

    _small(checked, alone / "small.py")
    yield "one small file", run(alone / "small.py", "--no-cache")
    _aged(checked)
    yield "cold", run(checked)
    yield "warm", run(checked)
    edited = _middle(checked)
    edited.write_text(edited.read_text("utf-8", "surrogateescape") + _ADDED, "utf-8")
    os.utime(edited, (time.time() - 500,) * 2)
    yield "a function added", run(checked)


def _aged(folder: Path) -> None:
    """Dates of long ago: a date of just now is not trusted."""
    for path in folder.rglob("*"):
        os.utime(path, (time.time() - 1_000,) * 2)


def _middle(folder: Path) -> Path:
    """The file of middle size among those that name torch, or else of all."""
    files = sorted(python_files(folder), key=lambda path: (path.stat().st_size, path))
    naming = [path for path in files if b"torch" in path.read_bytes()]
    return (naming or files)[len(naming or files) // 2]


def _small(folder: Path, target: Path) -> None:
    """The first lines of the file in the middle that still parse, some fifty."""
    lines = _middle(folder).read_text("utf-8", "replace").splitlines(keepends=True)
    for count in range(min(_SMALL, len(lines)), 0, -1):
        text = "".join(lines[:count])
        try:
            compile(text, "small.py", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        target.write_text(text, encoding="utf-8")
        return


def _shown(rows: Sequence[Row]) -> Iterator[str]:
    first = {(row.project, row.measure): row for row in reversed(rows)}
    for row in rows:
        middle = statistics.median(cost.cpu for cost in row.costs)
        base = statistics.median(c.cpu for c in first[row.project, row.measure].costs)
        yield (
            f"{row.project} ({row.lines} lines): {row.measure}: {row.revision}:"
            f" {middle:.2f} CPU seconds ({middle / base:.2f})"
        )


if __name__ == "__main__":
    sys.exit(main())
