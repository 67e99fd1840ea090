"""Selectors name rules, topics and causes."""

from __future__ import annotations

import pytest
from tests.check.small_rules import ODD, SLOW

from deepperf.check.select import UNUSED_SUPPRESSION, level_in, select_rules
from deepperf.config.options import Options, WrongUse
from deepperf.records import Level
from deepperf.rules.registry import LoadedRule


def running(options: Options, preview: tuple[LoadedRule, ...] = ()) -> list[str]:
    chosen = select_rules((SLOW, ODD), options, lambda rule: rule in preview)
    return [loaded.rule.name for loaded in chosen.rules]


def test_without_a_wish_every_rule_runs() -> None:
    assert running(Options()) == ["slow-call", "odd-call"]


@pytest.mark.parametrize("selector", ["slow-call", "sluggish-call", "loops", "inefficient-api-use"])
def test_a_rule_is_selected_by_name_old_name_topic_and_cause(selector: str) -> None:
    assert running(Options(select=(selector,))) == ["slow-call"]


def test_ignoring_outranks_selecting() -> None:
    assert running(Options(select=("all",), ignore=("loops",))) == ["odd-call"]


def test_a_rule_in_preview_runs_when_asked_for() -> None:
    assert running(Options(), preview=(ODD,)) == ["slow-call"]
    assert running(Options(preview=True), preview=(ODD,)) == ["slow-call", "odd-call"]
    assert running(Options(select=("odd-call",)), preview=(ODD,)) == ["odd-call"]
    assert running(Options(select=("model",)), preview=(ODD,)) == []


def test_the_report_on_idle_comments_can_be_ignored() -> None:
    chosen = select_rules((SLOW,), Options(ignore=(UNUSED_SUPPRESSION,)), lambda _: False)

    assert UNUSED_SUPPRESSION not in chosen.reported


def test_an_unknown_selector_is_answered_with_what_is_near() -> None:
    with pytest.raises(WrongUse, match=r"'slow-cal'; did you mean 'slow-call'"):
        running(Options(select=("slow-cal",)))
    with pytest.raises(WrongUse, match="'nonsense'"):
        running(Options(ignore=("nonsense",)))


def test_the_level_of_a_file_is_what_the_last_pattern_that_names_it_says() -> None:
    options = Options(per_file_level={"research/*": Level.ERROR, "research/kept/*": Level.NOTE})

    paths = ("train.py", "research/a.py", "research/kept/b.py")
    assert [level_in(path, options) for path in paths] == [Level.WARNING, Level.ERROR, Level.NOTE]
