"""How long an editor waits for an answer to an edit: `python -m benchmarks.edits`.

Files of installed packages are opened as `deepperf lsp` does it, edited a statement at a time at
places that are drawn, and what each edit's answer took of the processor is written to
`benchmarks/results/edits`.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import gc
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

from benchmarks.installed import versions_of
from benchmarks.subjects import copy_of, count_lines, folder_of, python_files
from deepperf.bench.machine import this_machine
from deepperf.check.live import checked, opened, with_texts
from deepperf.check.paths import starts
from deepperf.semantics.text.source import source_of_text

SEED = 0
LONG = 1_500
"""Lines of the file that is measured by itself."""
VERSIONED = ("deepperf", "keras", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class Row:
    """What edits of one file cost, in CPU seconds: until the edited file was answered for, and
    until all files that are open were. `first` is the cost of opening.
    """

    subject: str
    file: str
    lines: int
    project_lines: int
    opened: int
    rechecked: float
    first: float
    own: tuple[float, ...]
    all: tuple[float, ...]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.edits", description=__doc__)
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--package", default="keras", help="an installed package of many files")
    parser.add_argument("--file", default="src/trainers/trainer.py", help="what is edited in it")
    parser.add_argument("--beside", type=int, default=5, help="open files that import it")
    parser.add_argument("--long", default="transformers", help="where a long file is taken from")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "edits")
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="deepperf-edits-") as scratch:
        rows = (
            _long_file(arguments.long, Path(scratch), arguments.edits),
            _package(arguments, Path(scratch)),
        )
    machine = this_machine()
    result = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": asdict(machine),
        "python": sys.version.split()[0],
        "versions": dict(versions_of(VERSIONED)),
        "seed": SEED,
        "rows": [asdict(row) for row in rows],
    }
    slug = "-".join(re.findall(r"[a-z]+", machine.cpu.lower())[:2])
    target = arguments.output / f"{result['date']}-{slug}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(_told(row))
    return 0


def _told(row: Row) -> str:
    return (
        f"{row.subject}: {row.file} ({row.lines:,} lines of {row.project_lines:,}): opening "
        f"{row.first * 1000:,.0f} ms; an edit's own file {_both(row.own)}; all {row.opened} open "
        f"files, of which {row.rechecked:.1f} are checked again, {_both(row.all)}"
    )


def _both(seconds: Sequence[float]) -> str:
    highest = quantiles(seconds, n=20)[-1]
    return f"{median(seconds) * 1000:,.0f} ms, 95th percentile {highest * 1000:,.0f} ms"


def _long_file(package: str, scratch: Path, edits: int) -> Row:
    """A file of about `LONG` lines as a project of its own."""
    folder = folder_of(package)
    of_models = [path for path in python_files(folder) if path.name.startswith("modeling_")]
    path = min(of_models, key=lambda path: (abs(count_lines(path) - LONG), path))
    project = scratch / "long"
    project.mkdir()
    (project / "deepperf.toml").write_text("", encoding="utf-8")
    (project / path.name).write_bytes(path.read_bytes())
    return _measured("a long file", project, path.name, (path.name,), edits)


def _package(arguments: argparse.Namespace, scratch: Path) -> Row:
    """A file of a large package, with some files open that import it by name."""
    name, file = arguments.package, arguments.file
    subject = copy_of(name, folder_of(name), scratch)
    stem = Path(file).stem
    word = re.compile(rf"^(?:from|import)\b.*\b{stem}\b", re.MULTILINE)
    users = [
        path.relative_to(subject.folder).as_posix()
        for path in python_files(subject.folder)
        if word.search(path.read_text(encoding="utf-8"))
    ]
    users = [user for user in users if user != file][: arguments.beside]
    return _measured(name, subject.folder, file, (file, *users), arguments.edits)


def _measured(name: str, folder: Path, file: str, files: Sequence[str], edits: int) -> Row:
    (start,) = starts((folder,), lambda options: options)
    live = opened(start)
    begin = time.process_time()
    for path in files:
        live = checked(live, path)
    first = time.process_time() - begin
    text = live.project.sources[file].text
    draw = random.Random(SEED)
    own, every = [], []
    rechecked = 0
    for number in range(edits):
        text = _edited(text, draw, number)
        gc.collect()
        begin = time.process_time()
        live = with_texts(live, {file: source_of_text(file, text)})
        live = checked(live, file)
        own.append(time.process_time() - begin)
        rechecked += sum(path not in live.records for path in files) + 1
        for path in files:
            live = checked(live, path)
        every.append(time.process_time() - begin)
    return Row(
        subject=name,
        file=file,
        lines=text.count("\n"),
        project_lines=sum(count_lines(path) for path in python_files(folder)),
        opened=len(files),
        rechecked=rechecked / edits,
        first=first,
        own=tuple(own),
        all=tuple(every),
    )


def _edited(text: str, draw: random.Random, number: int) -> str:
    """The text with one statement more, or one less that was added before, in a function."""
    lines = text.splitlines(keepends=True)
    if number % 3 == 2:
        added = [at for at, line in enumerate(lines) if line.lstrip().startswith("edited_")]
        del lines[draw.choice(added)]
        return "".join(lines)
    bodies = [
        statement
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        for statement in node.body[1:]
    ]
    at = draw.choice(bodies)
    lines.insert(at.lineno - 1, f"{' ' * at.col_offset}edited_{number} = {number}\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
