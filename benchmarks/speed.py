"""Times `deepperf check` beside other tools: `python -m benchmarks.speed`.

Each repetition runs every tool once in a fresh process, so that what else the machine does
falls on all alike. Writes raw values and a table to `benchmarks/results`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import table, tools
from benchmarks.installed import versions_of
from benchmarks.processes import Cost, measured
from benchmarks.subjects import Subject, copy_of, folder_of, sample_of
from deepperf.bench.machine import this_machine

PACKAGES = ("tensorflow", "torch", "keras", "transformers")
SAMPLED = {"torch": "torch", "transformers": "torch"}
SEED = 0
START_UPS = 20
VERSIONED = (*PACKAGES, "deepperf", "ruff", "torchfix", "jedi")


@dataclass(frozen=True, slots=True)
class Row:
    """The costs of one tool on one subject, in the order in which they were measured.

    `files` and `lines` are those that the tool checks.
    """

    subject: str
    files: int
    lines: int
    tool: str
    costs: tuple[Cost, ...]


def main(words: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(words)
    with tempfile.TemporaryDirectory(prefix="deepperf-speed-") as scratch:
        rows = measure(arguments, Path(scratch), lambda text: print(text, file=sys.stderr))
    result = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": asdict(this_machine()),
        "python": sys.version.split()[0],
        "versions": dict(versions_of(VERSIONED)),
        "sample_seed": SEED,
        "rows": [asdict(row) for row in rows],
    }
    stem = f"{result['date']}-{_slug(this_machine().cpu)}"
    arguments.output.mkdir(parents=True, exist_ok=True)
    target = arguments.output / f"{stem}.json"
    target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    shown = table.markdown(result)
    target.with_suffix(".md").write_text(shown, encoding="utf-8")
    print(shown)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument(
        "--packages",
        nargs="+",
        default=list(PACKAGES),
        metavar="NAME",
        help="installed packages, or folders of packages that are unpacked somewhere",
    )
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument(
        "--sample-lines", type=int, default=10_000, help="size of the samples for slow tools"
    )
    parser.add_argument(
        "--original", type=Path, metavar="FOLDER", help="where the original DeepPerf lies"
    )
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    return parser


def measure(
    arguments: argparse.Namespace, scratch: Path, tell: Callable[[str], None]
) -> tuple[Row, ...]:
    """Measure all tools on all subjects, copied into `scratch`."""
    wholes = [copy_of(Path(name).name, folder_of(name), scratch) for name in arguments.packages]
    samples = [
        sample_of(subject, SAMPLED[subject.name], arguments.sample_lines, SEED, scratch)
        for subject in wholes
        if subject.name in SAMPLED
    ]
    fast = (tools.cold(), tools.front_end(), tools.parser(), tools.warm(), tools.ruff())
    slow = (tools.torchfix(), *(tools.original(arguments.original) if arguments.original else ()))
    rows: list[Row] = []
    for subject in wholes:
        rows += _measured_rows(subject, fast, arguments.repetitions, tell)
    for subject in samples:
        rows += _measured_rows(subject, (tools.cold(), tools.ruff(), *slow), 1, tell)
    nothing = Subject("nothing", scratch, 0, 0)
    starts = (tools.start_up(), tools.bare_start_up())
    return (*rows, *_measured_rows(nothing, starts, START_UPS, tell))


def _measured_rows(
    subject: Subject, compared: Sequence[tools.Tool], repetitions: int, tell: Callable[[str], None]
) -> list[Row]:
    costs: dict[str, list[Cost]] = {tool.name: [] for tool in compared}
    if any(tool.name == tools.warm().name for tool in compared):
        _run(tools.warm(), subject)
    for repetition in range(repetitions):
        turn = repetition % len(compared)
        for tool in (*compared[turn:], *compared[:turn]):
            cost = _run(tool, subject)
            costs[tool.name].append(cost)
            if subject.lines:
                tell(f"{subject.name}: {tool.name}: {cost.cpu:.2f} CPU seconds")
    return [
        Row(subject.name, *_extent(subject, tool), tool.name, tuple(costs[tool.name]))
        for tool in compared
    ]


def _extent(subject: Subject, tool: tools.Tool) -> tuple[int, int]:
    """How many files and lines of a subject a tool checks."""
    if tool.scope is tools.Scope.ALL:
        return subject.files, subject.lines
    return (
        subject.files - subject.generated_files,
        subject.lines - subject.generated_lines,
    )


def _run(tool: tools.Tool, subject: Subject) -> Cost:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(_absolute_import_path())}
    # An installed tool has its byte code; without it each start would compile its modules.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # A tool that ran where the sources lie would import their modules instead of its own.
    with tempfile.TemporaryDirectory(prefix="deepperf-speed-") as elsewhere:
        checked = subject.folder
        if tool.effect is tools.Effect.REWRITES_FILES:
            checked = Path(shutil.copytree(subject.folder, Path(elsewhere) / "copy"))
        command = (*tool.command, str(checked)) if subject.lines else tool.command
        return measured(command, Path(elsewhere), tool.statuses, environment)


def _absolute_import_path() -> Iterator[str]:
    for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        if entry:
            yield str(Path(entry).absolute())


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


if __name__ == "__main__":
    sys.exit(main())
