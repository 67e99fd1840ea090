"""The page that answers each candidate for a rule, and each performance rule of other tools."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DATA = Path(__file__).with_name("catalogue.toml")
_INTRODUCTION = """\
# What deepperf answers

Each row is a habit that slows programs down, and what deepperf has for it: a **rule** finds it in
the text, a **signal** is seen by `deepperf run`, a **refusal** is advice that measurements do not
bear out, and what is **out of scope** has its reason beside it. **Open** is what nothing answers
yet.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate, or one rule of another tool, and what there is for it.

    `planned` are rules that count as soon as they exist.
    """

    name: str
    says: str
    frameworks: str = ""
    tool: str = ""
    rules: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    refused: str = ""
    outside: str = ""


def read_rows(key: str) -> tuple[Row, ...]:
    """The rows of `candidates`, or of `peers`."""
    listed: list[dict[str, Any]] = tomllib.loads(DATA.read_text(encoding="utf-8"))[key]
    return tuple(_row(row) for row in listed)


def _row(table: dict[str, Any]) -> Row:
    values: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in table.items()
    }
    return Row(**values)


def kind_of(row: Row, pages: Collection[str]) -> str:
    """What answers a row, beside the names of all pages that there are."""
    if _rules(row, pages):
        return "rule"
    if row.refused in pages:
        return "refusal"
    if row.signals:
        return "signal"
    return "out of scope" if row.outside else "open"


def _rules(row: Row, pages: Collection[str]) -> list[str]:
    return [*row.rules, *(name for name in row.planned if name in pages)]


def catalogue_page(pages: Collection[str]) -> str:
    """The page, as Markdown."""
    candidates, peers = read_rows("candidates"), read_rows("peers")
    return "\n".join(
        (
            _INTRODUCTION,
            f"## {len(candidates)} candidates\n",
            _counted(candidates, pages),
            "| | candidate | frameworks | answer |",
            "|---|---|---|---|",
            *(
                f"| {number} | {row.says} (`{row.name}`) | {row.frameworks} | {_cell(row, pages)} |"
                for number, row in enumerate(candidates, start=1)
            ),
            "\n## Performance rules of other tools\n",
            _counted(peers, pages),
            "| tool | its rule | what it says | answer |",
            "|---|---|---|---|",
            *(f"| {row.tool} | {row.name} | {row.says} | {_cell(row, pages)} |" for row in peers),
            "",
        )
    )


def _counted(rows: Sequence[Row], pages: Collection[str]) -> str:
    counts = Counter(kind_of(row, pages) for row in rows)
    return (
        f"{counts['rule']} of {len(rows)} have a rule, {counts['signal']} more a signal;"
        f" {counts['refusal']} are refused, {counts['out of scope']} out of scope,"
        f" {counts['open']} open.\n"
    )


def _cell(row: Row, pages: Collection[str]) -> str:
    parts = [_links(_rules(row, pages))]
    if row.refused in pages:
        parts.append(f"refused: [{row.refused}]({row.refused}.md)")
    if row.signals:
        parts.append("run: " + ", ".join(f"`{name}`" for name in row.signals))
    if row.outside:
        parts.append(f"out of scope: {row.outside}")
    return "; ".join(filter(None, parts)) or "open"


def _links(names: Iterable[str]) -> str:
    return ", ".join(f"[{name}]({name}.md)" for name in names)
