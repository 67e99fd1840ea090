"""Tables are read from byte code where that is fresh, and parsed where it is not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from deepperf.knowledge.compiled import read_table
from deepperf.knowledge.lookup import known_companions, known_frameworks, read_fact_file
from deepperf.knowledge.tables import parse_facts

PARSED: list[str] = []


def numbers(text: str, origin: str) -> list[int]:
    PARSED.append(origin)
    return [int(word) for word in text.split()]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    PARSED.clear()
    path = tmp_path / "table.toml"
    path.write_text("1 2 3")
    return path


def test_a_table_is_parsed_once(table: Path) -> None:
    for _ in range(3):
        assert read_table(table, list[int], numbers) == [1, 2, 3]
    assert PARSED == ["table.toml"]


def test_a_table_that_changed_is_parsed_again(table: Path) -> None:
    read_table(table, list[int], numbers)
    table.write_text("4 5 6")
    os.utime(table, (1, 1))
    assert read_table(table, list[int], numbers) == [4, 5, 6]


def test_a_table_is_parsed_where_no_byte_code_may_be_written(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    read_table(table, list[int], numbers)
    read_table(table, list[int], numbers)
    assert PARSED == ["table.toml"] * 2
    assert not list(table.parent.glob("__pycache__"))


@pytest.mark.parametrize("name", [*known_frameworks(), *known_companions()])
def test_packed_facts_are_the_facts_that_are_written(name: str) -> None:
    facts = Path(str(sys.modules["deepperf.knowledge"].__path__[0])) / "facts"
    found = next(facts.rglob(f"{name}.toml"))
    assert read_fact_file(name) == parse_facts(found.read_text("utf-8"), found.name)
