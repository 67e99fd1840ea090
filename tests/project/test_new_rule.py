"""`dev new-rule` writes one folder, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from deepperf.config.options import WrongUse
from deepperf.dev.new_rule import new_rule
from deepperf.rules.page import missing_parts, read_page
from deepperf.rules.registry import find_rules


def test_a_new_rule_is_a_page_and_a_check_side_by_side(tmp_path: Path) -> None:
    page, check = new_rule("input_pipeline/slow-thing", tmp_path)
    assert page == tmp_path / "input_pipeline" / "slow_thing" / "page.md"
    assert check == tmp_path / "input_pipeline" / "slow_thing" / "rule.py"
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == [
        check.with_name("__init__.py"),
        page,
        check,
    ]


def test_a_new_rule_is_found_without_being_registered(tmp_path: Path) -> None:
    new_rule("input_pipeline/slow-thing", tmp_path)
    assert [files.name for files in find_rules(tmp_path)] == ["slow-thing"]


def test_the_skeletons_can_be_read_and_say_what_is_missing(tmp_path: Path) -> None:
    page, check = new_rule("input_pipeline/slow-thing", tmp_path)
    assert "a summary of one line under the title" in missing_parts(read_page(page))
    ast.parse(check.read_text())


def test_the_check_s_skeleton_declares_a_rule_with_a_check(tmp_path: Path) -> None:
    from deepperf.rules.rule import Check, Rule

    _, check = new_rule("input_pipeline/slow-thing", tmp_path)
    namespace: dict[str, object] = {"__name__": "deepperf.rules.input_pipeline.slow_thing.rule"}
    exec(check.read_text(), namespace)
    rule = namespace["rule"]
    assert isinstance(rule, Rule)
    assert (rule.name, rule.topic) == ("slow-thing", "input_pipeline")
    assert isinstance(namespace["check"], Check)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    page, _ = new_rule("input_pipeline/slow-thing", tmp_path)
    page.write_text("mine")
    with pytest.raises(WrongUse, match="there is such a rule already"):
        new_rule("input_pipeline/slow_thing", tmp_path)
    with pytest.raises(WrongUse, match="there is such a rule already"):
        new_rule("tracing/slow-thing", tmp_path)
    assert page.read_text() == "mine"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("slow-thing", "the topic must be one of"),
        ("elsewhere/slow-thing", "the topic must be one of"),
        ("tracing/", "lower-case words joined by hyphens"),
        ("tracing/Slow", "lower-case words joined by hyphens"),
        ("tracing/../x", "lower-case words joined by hyphens"),
        ("tracing/no-retracing", "named after the smell"),
    ],
)
def test_what_cannot_be_a_rule_s_name_is_refused(tmp_path: Path, place: str, said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        new_rule(place, tmp_path)
    assert list(tmp_path.iterdir()) == []
