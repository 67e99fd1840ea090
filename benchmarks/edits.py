"""How long an editor waits for an answer to an edit: `python -m benchmarks.edits`.

Files of installed packages are opened by a client of `deepperf lsp`, edited a statement at a time
at places that are drawn, and what each edit's answer took of the processor is written to
`benchmarks/results/edits`.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import datetime
import json
import random
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

import psutil
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from benchmarks.installed import versions_of
from benchmarks.subjects import copy_of, count_lines, folder_of, python_files
from deepperf.bench.machine import this_machine

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
        f"files {_both(row.all)}"
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
    return asyncio.run(_spoken(name, folder, file, files, edits))


async def _spoken(name: str, folder: Path, file: str, files: Sequence[str], edits: int) -> Row:
    """Edit a file of which others are open as well, as an editor does."""
    client = LanguageClient("edits", "1")
    told: list[str] = []
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda given: told.append(given.uri))
    children = {child.pid for child in psutil.Process().children()}
    await client.start_io(sys.executable, "-m", "deepperf", "lsp")
    (server,) = (one for one in psutil.Process().children() if one.pid not in children)
    whole = types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri())
    await client.initialize_async(whole)
    client.initialized(types.InitializedParams())
    uris = [(folder / path).as_uri() for path in files]

    async def answered() -> tuple[float, float]:
        """CPU time until the first file was answered for, and until all were."""
        before = _taken(server)
        while not told:
            await asyncio.sleep(0.002)
        first = _taken(server)
        while not {*uris} <= {*told}:
            await asyncio.sleep(0.002)
        return first - before, _taken(server) - before

    for path, uri in zip(files, uris, strict=True):
        item = types.TextDocumentItem(uri, "python", 0, (folder / path).read_text("utf-8"))
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    _, opening = await answered()
    text = (folder / file).read_text("utf-8")
    uri = (folder / file).as_uri()
    draw = random.Random(SEED)
    own, every = [], []
    for number in range(edits):
        text = _edited(text, draw, number)
        told.clear()
        document = types.VersionedTextDocumentIdentifier(number + 1, uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        first, last = await answered()
        if told[0] != uri:
            raise RuntimeError(f"{told[0]} was answered for before the edited {uri}")
        own.append(first)
        every.append(last)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call]
    return Row(
        subject=name,
        file=file,
        lines=text.count("\n"),
        project_lines=sum(count_lines(path) for path in python_files(folder)),
        opened=len(files),
        first=opening,
        own=tuple(own),
        all=tuple(every),
    )


def _taken(server: psutil.Process) -> float:
    times = server.cpu_times()
    return float(times.user + times.system)


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
