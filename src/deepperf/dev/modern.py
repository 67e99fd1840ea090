"""The tables on code that people write now: what is told of it, and what readers said of that."""

from __future__ import annotations

import csv
import json
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from deepperf.dev.bar import FOLDER, Judged, read_judged


def modern_table(root: Path) -> str:
    """The newest counts of `python -m benchmarks.recall`, by kind: at first, and after mending."""
    folder = root / FOLDER
    mended = max(folder.glob("recall-*-mended.json"))
    first = max(path for path in folder.glob("recall-*.json") if not path.match("*-mended.json"))
    found = [json.loads(path.read_text(encoding="utf-8")) for path in (first, mended)]
    rows = []
    for result, when in zip(found, ("before mending", "after mending by this list"), strict=True):
        told = f"{result['told']} of {result['listed']}, {result['warned']} by a warning"
        heavy = f"{result['heavy_told']} of the {result['heavy']} heavy ones"
        rows += [f"{result['date']}, {when}: told {told}; {heavy}.", ""]
    rows += ["| kind | told before | told after | listed |", "|---|---|---|---|"]
    before, after = (result["by_kind"] for result in found)
    rows += [
        f"| {kind} | {before[kind][0]} | {told} | {of} |" for kind, (told, of) in after.items()
    ]
    again = max(folder.glob("fresh-recall-*-mended.json"))
    sights = [path for path in folder.glob("fresh-recall-*.json") if not path.match("*-mended.*")]
    rows += ["", f"{_fresh(max(sights))} {_after(again)}"]
    rounds = sorted(folder.glob("judged-*.csv"), key=_number)
    rows += ["", *_rounds_table(rounds, read_judged(folder))]
    for judged in rounds:
        rows += ["", *_verdicts_table(judged)]
    return "\n".join(rows)


def _fresh(path: Path) -> str:
    """What was told at first sight of a longer list."""
    result = json.loads(path.read_text(encoding="utf-8"))
    repositories = len({row["repository"] for row in result["rows"]})
    return (
        f"Of {result['listed']} problems that two other readers listed in {repositories}"
        f" repositories `check` told {result['told']} at first sight ({result['date']}),"
        f" {result['warned']} by a warning; {result['heavy_told']} of the {result['heavy']} that"
        " they called heavy."
    )


def _after(path: Path) -> str:
    """What is told of it since, by rules that were mended with it at hand."""
    result = json.loads(path.read_text(encoding="utf-8"))
    return (
        f"After mending by this list it tells {result['told']} ({result['date']}),"
        f" {result['warned']} by a warning; {result['heavy_told']} of the heavy ones."
    )


def _rounds_table(rounds: Sequence[Path], known: Sequence[Judged]) -> Iterator[str]:
    """What strangers said, a row for each round: true, arguable and false."""
    yield "| round | repositories with hits | warnings | of these true | notes | still warnings |"
    yield "|---|---|---|---|---|---|"
    now = {(one.rule, *one.place): one for one in known}
    for path in rounds:
        with path.open(encoding="utf-8", newline="") as stream:
            read = list(csv.DictReader(stream))
        levels = ("warning", "note")
        of = {level: [row for row in read if row["level"] == level] for level in levels}
        repositories = len({row["repository"] for row in read})
        true = sum(row["verdict"] == "true" for row in of["warning"])
        part = f"{true / len(of['warning']):.0%}" if of["warning"] else ""
        warnings, notes = (_verdicts(of[level]) for level in levels)
        still = _verdicts([row for row in read if now[_key(row)].now == "warning"])
        yield f"| {_number(path)} | {repositories} | {warnings} | {part} | {notes} | {still} |"


def _key(row: Mapping[str, str]) -> tuple[str, str, str, str]:
    return row["rule"], row["repository"].replace("/", "__"), row["file"], row["line"]


def _verdicts(rows: Sequence[Mapping[str, str]]) -> str:
    counts = Counter(row["verdict"] for row in rows)
    return " / ".join(str(counts[one]) for one in ("true", "arguable", "false"))


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _verdicts_table(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        read = list(csv.DictReader(stream))
    counts = Counter((row["rule"], row["level"], row["verdict"]) for row in read)
    repositories = len({row["repository"] for row in read})
    read_of = f"{len(read)} hits in {repositories} repositories"
    yield f"Round {_number(path)}: first-sight verdicts on {read_of}."
    yield from ("", "| rule | level | true | arguable | false |", "|---|---|---|---|---|")
    for rule, level in sorted({(rule, level) for rule, level, _ in counts}):
        verdicts = [str(counts[rule, level, one]) for one in ("true", "arguable", "false")]
        yield f"| {rule} | {level} | {' | '.join(verdicts)} |"


def gains_table(root: Path) -> str:
    """The newest result of `python -m benchmarks.cutouts`: what the advice on findings gains."""
    folder = root / FOLDER
    result = json.loads(max(folder.glob("gains-*.json")).read_text(encoding="utf-8"))
    read: dict[tuple[str, str, str], Mapping[str, str]] = {}
    for path in sorted(folder.glob("judged-*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        read |= {(row["rule"], row["repository"], _line(row)): row for row in rows}
    measured = [row for row in result["cutouts"] if "reason" not in row]
    gains = [row["comparison"]["ratio"] for row in measured if _gains(row)]
    machine = result["machine"]
    where = f"{machine['cpu']}, {machine['cores']} cores, {result['date']}; {result['remark']}"
    half = f"half of these {statistics.median(gains):.1f}x or more"
    lines = [
        f"{where}: {len(gains)} of {len(measured)} gain something, {half}.",
        "",
        "| rule | place | verdict | measured | before / after |",
    ]
    lines.append("|---|---|---|---|---|")
    for row in measured:
        found = read[row["rule"], row["repository"], row["line"]]
        name = row["repository"].replace("__", "/")
        place = f"{name}, `{found['file']}:{found['line']}`"
        head = f"| {row['rule']} | {place} | {found['verdict']} | {row['quantity']}"
        lines.append(f"{head} | {_ratio(row)} |")
    return "\n".join(lines)


def _line(row: Mapping[str, str]) -> str:
    """The line that a reader's row names, after the cell in a notebook."""
    _, _, cell = row["file"].partition(":cell ")
    return f"{cell}.{row['line']}" if cell else row["line"]


def _gains(row: Mapping[str, Any]) -> bool:
    return bool(row["comparison"]["low"] > 1)


def _ratio(row: Mapping[str, Any]) -> str:
    """The mean ratio of a finding's pairs, the least and the greatest, or that it is noise."""
    ratios = [before / after for before, after in zip(row["bad"], row["good"], strict=True)]
    mean = f"{row['comparison']['ratio']:.2f}x"
    span = f"({min(ratios):.2f} to {max(ratios):.2f})"
    return f"{mean} {span}" if _gains(row) else f"none: {mean} {span}"
