"""The page of fixes says of each rule which kind of fix it has, or why none can be made."""

from __future__ import annotations

from deepperf.dev.fixable import reason_of, safety_of
from deepperf.records import Safety
from deepperf.rules.registry import find_rules


def test_each_rule_has_a_fix_or_a_reason_and_never_both() -> None:
    folders = {rule.name: rule.page.parent for rule in find_rules()}
    both = {name for name, folder in folders.items() if reason_of(folder) and safety_of(folder)}
    neither = {
        name for name, folder in folders.items() if not reason_of(folder) and not safety_of(folder)
    }
    assert (both, neither) == (set(), set())


def test_a_page_says_why_the_fix_of_its_rule_is_unsafe() -> None:
    """In a sentence of the page, or of a limit: `The fix is unsafe: …`."""
    silent = {
        rule.name
        for rule in find_rules()
        if Safety.UNSAFE in safety_of(rule.page.parent)
        and "unsafe" not in rule.page.read_text(encoding="utf-8")
    }
    assert silent == set()
