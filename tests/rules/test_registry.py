"""Rules are found by where they lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepperf.rules.registry import UnknownRule, find_rules, load_rules, named


def test_a_folder_with_a_page_and_a_check_is_a_rule(tmp_path: Path) -> None:
    topic = tmp_path / "tracing"
    for name in ("slow_thing/page.md", "slow_thing/rule.py", "lonely/page.md", "other/rule.py"):
        (topic / name).parent.mkdir(parents=True, exist_ok=True)
        (topic / name).write_text("")
    (rule,) = find_rules(tmp_path)
    assert (rule.name, rule.topic) == ("slow-thing", "tracing")
    assert rule.module == "deepperf.rules.tracing.slow_thing.rule"
    assert rule.evidence == topic / "slow_thing" / "evidence.json"


def test_rules_come_by_name_whatever_their_topic(tmp_path: Path) -> None:
    for topic, name in (("tracing", "b"), ("memory", "c"), ("transfer", "a")):
        (tmp_path / topic / name).mkdir(parents=True)
        (tmp_path / topic / name / "page.md").write_text("")
        (tmp_path / topic / name / "rule.py").write_text("")
    assert [rule.name for rule in find_rules(tmp_path)] == ["a", "b", "c"]


def test_every_rule_loads_under_its_folder_s_name() -> None:
    assert [loaded.name for loaded in load_rules()] == [files.name for files in find_rules()]


@pytest.mark.parametrize("files", find_rules(), ids=lambda files: files.name)
def test_a_rule_is_named_with_hyphens_or_underscores(files: object) -> None:
    name = getattr(files, "name", "")
    assert named(name) == named(name.replace("-", "_")) == files


def test_a_name_that_is_no_rule_s_is_told() -> None:
    with pytest.raises(UnknownRule, match="no rule is called 'nothing-of-the-kind'"):
        named("nothing-of-the-kind")
