"""The parts of the estimate of each finding that was judged: `corpus/estimates.csv`.

    python -m benchmarks.estimates --trees FOLDER... [--packages corpus/packages] [--jobs 2]

Each `FOLDER/owner__name` holds a repository as it was judged, `corpus/packages` the pinned
packages. Judged findings of others keep their old rows, if they have some. The columns are
described in `corpus/README.md`.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from deepperf.check.engine import installed_rules
from deepperf.check.files import relative_name
from deepperf.check.fresh import project_in
from deepperf.check.paths import starts
from deepperf.check.run import check_file
from deepperf.check.sources import FileSources
from deepperf.check.survey import survey
from deepperf.config.load import no_settings
from deepperf.config.options import Options
from deepperf.dev.cross_validation import COLUMNS, FILE, SILENT, USERS
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.registry import load_rules
from deepperf.scan.judgements import load_judgements
from deepperf.semantics.files.project import Project
from deepperf.semantics.query import Call, File, Function, Loop, file_of
from deepperf.semantics.text.room import with_room

_BESIDE = (
    Trait.BACKPROPAGATES,
    Trait.STEPS_OPTIMIZER,
    Trait.GENERATES,
    Trait.RUNS_MODULE,
    Trait.TRAINS,
    Trait.LOADS_MODEL,
    Trait.READS_FILE,
    Trait.LOADS_BATCHES,
    Trait.TELLS_TIME,
)
"""What else the function around a finding may do that takes long, or says what it is for."""
Row = dict[str, str]
Key = tuple[str, str, str, str]


class Judged(NamedTuple):
    """A finding that was judged, before it is known what is told of it now."""

    code: str
    round: str
    repository: str
    file: str
    line: str
    rule: str
    verdict: str
    first: str  # its level before any verdict on it was read

    @property
    def key(self) -> Key:
        return (self.repository, self.file, self.line, self.rule)


def judged_by_users(folder: Path) -> Iterator[Judged]:
    """Findings in repositories of users of 2022–2026; of two verdicts the later holds.

    The verdicts of the tenth round are on findings by the levels before decision 0026; the levels
    after it were written down before these verdicts were read.
    """
    later = _levels(max(folder.glob("standing-*_tenth.json")))
    for path in sorted(folder.glob("judged-*.csv"), key=lambda path: int(path.stem[7:])):
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                place = (row["repository"].replace("/", "__"), row["file"], row["line"])
                first = later.get((row["rule"], *place), row["level"])
                first = first if path.stem == "judged-10" else row["level"]
                yield Judged(USERS, path.stem, *place, row["rule"], row["verdict"], first)


def _levels(path: Path) -> dict[tuple[str, ...], str]:
    result = json.loads(path.read_text(encoding="utf-8"))
    rows = (dict(zip(result["columns"], row, strict=True)) for row in result["rows"])
    return {(r["rule"], r["repository"], r["file"], r["line"]): r["now"] for r in rows}


def judged_in_packages(folder: Path, packages: Path) -> Iterator[Judged]:
    """Findings in pinned packages that lie there."""
    for path in sorted(folder.glob("*.toml"), key=lambda path: path.name):
        for one in load_judgements([path]):
            name = f"{one.package}-{one.version}"
            if "/" not in name and (packages / name).is_dir():
                place = (name, one.path, str(one.line))
                yield Judged("packages", path.stem, *place, one.rule, one.verdict.value, "")


def measured(work: tuple[Path, Sequence[Judged]]) -> list[Row]:
    """A row for each finding that was judged in one project."""
    return with_room(lambda: _measured(*work))


def _measured(folder: Path, found: Sequence[Judged]) -> list[Row]:
    (start,) = starts([folder], lambda _: Options(cache=False, jobs=1), no_settings)
    surveyed = survey(start)
    sources = FileSources(str(start.root), tuple(entry.path for entry in surveyed.context))
    project = project_in(start, sources, surveyed.metadata)
    prefix = relative_name(folder, start.root)
    there = {entry.path for entry in surveyed.context}
    rows: list[Row] = []
    for file in sorted({one.file for one in found}):
        name, _, _ = file.partition(":cell ")
        path = name if prefix == "." else f"{prefix}/{name}"
        own = [one for one in found if one.file == file]
        if path in there:
            report = check_file(project, path, installed_rules(Options())).report
            rows += [_row(one, report.findings, project, path) for one in own]
            project.forget_modules(24_000_000)
        else:
            print(f"{folder.name}: no file {file}", file=sys.stderr)
    return rows


def _row(one: Judged, findings: Sequence[Finding], project: Project, path: str) -> Row:
    line = int(one.line.rpartition(":")[2])
    near = [f for f in findings if f.rule == one.rule and _names(f, path, line)]
    head = {**one._asdict(), "now": SILENT}
    if not near:
        return head
    finding = max(near, key=lambda f: (f.location.line == line, f.level, f.estimate))
    parts = _parts(finding, project, path)
    return {**head, **{name: str(value) for name, value in parts.items()}}


def _names(finding: Finding, path: str, line: int) -> bool:
    """Whether a line is the finding's, or that of a related place or step; in any cell."""
    steps = (step.location for step in (*finding.path, *finding.related))
    return any(
        place.path == path and place.line <= line <= place.end_line
        for place in (finding.location, *steps)
    )


def _parts(finding: Finding, project: Project, path: str) -> Mapping[str, object]:
    basis = finding.basis
    ceilings = {loaded.rule.name: loaded.rule.level for loaded in load_rules()}
    told = {
        "now": finding.level.name.lower(),
        "ceiling": ceilings.get(finding.rule, Level.WARNING).name.lower(),
        "place": finding.role.value,
        "estimate": f"{finding.estimate:.4g}",
        "cost": basis.cost if basis else "",
        "times": f"{basis.times:g}" if basis else "",
        "iteration": basis.iteration if basis else "",
        "steps": len(finding.path),
        "places": len(finding.related) + 1,
        "fix": finding.fix.safety.name.lower() if finding.fix else "",
        "framework": finding.framework,
    }
    if finding.location.cell:
        return told  # the engine counts the lines of all cells together
    return {**told, **_around(file_of(project, path), finding)}


def _around(file: File, finding: Finding) -> Mapping[str, object]:
    """What the engine answers of the place of a finding."""
    line = finding.location.line
    function = file.function_at(line)
    spot, loops = _spot(function, finding)
    beside = [trait.value for trait in _BESIDE if function.reaches(trait) is not None]
    return {
        "runs_for": "+".join(sorted(spot.runs_for)),
        "loops": "+".join(loop.kind.value for loop in loops),
        "trips": "+".join(str(loop.known_count or "?") for loop in loops),
        "guard": spot.guard().name.lower() if isinstance(spot, Call) else "",
        "training": spot.is_in_training_step,
        "unused": bool(function.is_unused) or file.is_self_test(line),
        "beside": "+".join(beside),
        "accelerator": file.uses_accelerator,
    }


def _spot(function: Function, finding: Finding) -> tuple[Call | Loop | Function, Sequence[Loop]]:
    """What stands at a finding's place, and the loops around it, the innermost first."""
    at = finding.location
    for loop in function.loops():
        if (loop.location.line, loop.location.column) == (at.line, at.column):
            return loop, (loop, *loop.outer)
    calls = [call for call in function.calls() if call.location.line == at.line]
    if calls:
        call = min(calls, key=lambda call: abs(call.location.column - at.column))
        return call, call.loops
    return function, ()


def folders_of(found: Iterable[Judged], trees: Sequence[Path]) -> dict[Path, list[Judged]]:
    """The findings of each project that lies in one of some folders."""
    groups: dict[Path, list[Judged]] = {}
    for one in found:
        folder = next((path for t in trees if (path := t / one.repository).is_dir()), None)
        if folder is not None:
            groups.setdefault(folder, []).append(one)
    return groups


def _key(row: Row) -> Key:
    return (row["repository"], row["file"], row["line"], row["rule"])


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _write(rows: Mapping[Key, Row], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trees", type=Path, nargs="+", required=True)
    parser.add_argument("--packages", type=Path, default=Path("corpus/packages"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, default=FILE)
    arguments = parser.parse_args()
    users = judged_by_users(Path("evaluation/modern"))
    packages = judged_in_packages(Path("corpus/judgements"), arguments.packages)
    found = {one.key: one for one in (*packages, *users)}
    groups = folders_of(found.values(), (*arguments.trees, arguments.packages))
    kept = {_key(row): row for row in _read(arguments.output)}
    with ProcessPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(measured, item): item[0].name for item in groups.items()}
        for done in as_completed(running):
            if (error := done.exception()) is not None:
                print(f"{running[done]}: {type(error).__name__}", file=sys.stderr)
                continue
            kept.update({_key(row): row for row in done.result()})
            _write(kept, arguments.output)
    for one in found.values():  # a later verdict holds for old rows, too
        if one.key in kept:
            kept[one.key].update(one._asdict())
    _write(kept, arguments.output)
    measured_now = sum(map(len, groups.values()))
    print(f"{measured_now} of {len(found)} findings are at hand: {arguments.output}")


if __name__ == "__main__":
    main()
