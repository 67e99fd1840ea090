"""The README shows what the programs of this repository print today."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deepperf.dev.readme import UnknownPart, filled

ROOT = Path(__file__).parents[2]


def test_the_readme_says_what_the_programs_say() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")

    assert filled(text, ROOT) == text, "run `deepperf dev readme`"


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
