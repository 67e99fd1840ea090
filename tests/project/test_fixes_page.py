"""Reasons are given for rules that have no fix, and for no others."""

from __future__ import annotations

from deepperf.dev.fixable import reasons, safety_of
from deepperf.rules.registry import find_rules


def test_a_reason_is_that_of_a_rule_without_a_fix() -> None:
    unfixed = {rule.name for rule in find_rules() if not safety_of(rule.page.parent)}
    assert set(reasons()) <= unfixed
