"""Makes all fixes, unsafe ones too, in copies of real files: `python -m benchmarks.fixes FOLDER…`.

Each folder is a project, or an installed package by its name. Every file that parsed has to parse
afterwards, and fixing again may change nothing. Writes the counts to `evaluation/fixes`, and ends
with status 1 where that does not hold.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import difflib
import json
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.subjects import installed_folder, python_files

RESULTS = Path("evaluation") / "fixes"
OPTIONS = (
    *("--select", "all", "--preview", "--level", "note", "--no-cache", "--exit-zero"),
    *("--jobs", "1", "--fix", "--unsafe-fixes"),
)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fixes", description=__doc__)
    parser.add_argument("subjects", nargs="+", help="folders, and names of installed packages")
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args(words)
    rows = []
    for name in arguments.subjects:
        folder = Path(name) if Path(name).is_dir() else installed_folder(name)
        rows.append(fixed(Path(name).name, folder))
        print(rows[-1], flush=True)
        _keep(rows, arguments.output)
    return int(any(row["broken"] or row["unlike"] for row in rows))


def _keep(rows: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Write what is known after each project: the whole takes hours on a busy machine."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    numbers = ("files", "fixed", "lines", "broken", "unlike")
    result = {
        "date": today,
        "in all": {one: sum(row[one] for row in rows) for one in numbers},
        "subjects": rows,
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1) + "\n"
    (folder / f"{today}.json").write_text(text, encoding="utf-8")


def fixed(name: str, folder: Path) -> Mapping[str, Any]:
    """How many files and lines were fixed, and of these, what no longer parses or changes again."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / name
        for path in python_files(folder):
            target = copy / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        before = _contents(copy)
        begin = time.perf_counter()
        _run(copy, [copy])
        once = _contents(copy)
        changed = sorted(path for path in once if once[path] != before[path])
        _run(copy, [copy / path for path in changed])
        twice = _contents(copy)
    lines = [_lines_changed(before[path], once[path]) for path in changed]
    return {
        "name": name,
        "files": len(before),
        "fixed": len(changed),
        "lines": sum(lines),
        "broken": sum(_parses(before[path]) and not _parses(once[path]) for path in changed),
        "unlike": sum(twice[path] != once[path] for path in once),
        "seconds": round(time.perf_counter() - begin),
    }


def _run(root: Path, paths: Sequence[Path]) -> None:
    if not paths:
        return
    command = [sys.executable, "-m", "deepperf", "check", *OPTIONS, *map(str, paths)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(done.stderr)


def _lines_changed(before: bytes, after: bytes) -> int:
    old, new = (text.decode(errors="replace").splitlines() for text in (before, after))
    rows = difflib.unified_diff(old, new, n=0, lineterm="")
    return sum(row[:1] in ("+", "-") and row[:3] not in ("+++", "---") for row in rows)


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.py")}


def _parses(text: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
