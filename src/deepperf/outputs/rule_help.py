"""What reports say of a rule: read from the page beside it, without importing the rule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RuleHelp:
    """A rule for readers of a report; `markdown` is its page, "" where it has none."""

    name: str
    summary: str
    markdown: str = ""
    tags: tuple[str, ...] = ()


_UNUSED = RuleHelp("unused-suppression", "A comment silences nothing.")


def rule_help(name: str) -> RuleHelp:
    """The page of the rule of this name; little of one that has none or whose page is broken."""
    from deepperf.rules.page import PageError, parse_page
    from deepperf.rules.registry import find_rules

    if name == _UNUSED.name:
        return _UNUSED
    files = next((files for files in find_rules() if files.name == name), None)
    if files is None:
        return RuleHelp(name, name)
    tag = files.topic.replace("_", "-")
    try:
        page = parse_page(files.page.read_text(encoding="utf-8"), files.page.name, name)
    except (OSError, PageError):
        return RuleHelp(name, name, tags=(tag,))
    frameworks = sorted({group.framework for group in page.groups if group.framework})
    return RuleHelp(name, page.summary or name, page.text, (tag, *frameworks))
