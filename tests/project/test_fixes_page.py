"""The page of fixes says of each rule which kind of fix it has, or why none can be made."""

from __future__ import annotations

from deepperf.dev.fixable import reason_of, safety_of
from deepperf.rules.registry import find_rules


def test_each_rule_has_a_fix_or_a_reason_and_never_both() -> None:
    folders = {rule.name: rule.page.parent for rule in find_rules()}
    both = {name for name, folder in folders.items() if reason_of(folder) and safety_of(folder)}
    neither = {
        name for name, folder in folders.items() if not reason_of(folder) and not safety_of(folder)
    }
    assert (both, neither) == (set(), set())
