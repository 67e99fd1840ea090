"""The documents show what the programs of this repository print today."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from deepperf.dev.documents import outdated
from deepperf.dev.parts import UnknownPart, filled

ROOT = Path(__file__).parents[2]
LONGEST_README = 150
LARGEST_README = 8192


def test_the_documents_say_what_the_programs_say() -> None:
    assert outdated(ROOT) == (), "run `deepperf dev docs`"


def test_the_readme_is_read_in_one_sitting() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_README
    assert len(text.encode()) <= LARGEST_README


def test_links_of_the_documents_lead_to_files() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text("utf-8"))
        if not (path.parent / target).exists()
    ]
    assert broken == []


def test_no_cell_beside_another_tool_is_empty() -> None:
    text = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    rows = [line for line in text.partition("## Beside other tools")[2].splitlines() if "|" in line]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert {len(row) for row in cells} == {4, 6}
    assert [row for row in cells if not all(row[1:])] == []


def test_a_part_that_nothing_writes_is_named() -> None:
    with pytest.raises(UnknownPart, match="weather"):
        filled("<!-- begin: weather -->\n<!-- end: weather -->", ROOT)


def test_the_commands_of_the_readme_exist() -> None:
    """Every `deepperf <verb>` that the README shows is a verb."""
    from deepperf.cli.main import main

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    verbs = {line.split()[2] for line in text.splitlines() if line.startswith("$ deepperf ")}
    assert verbs

    for verb in sorted(verbs):
        with pytest.raises(SystemExit) as ended:
            main([verb, "--help"])
        assert ended.value.code == 0, f"{verb} on {sys.version}"
