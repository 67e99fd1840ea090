"""Which rules run: names, topics and causes as selectors."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from deepperf.config.options import Options, WrongUse
from deepperf.records import Finding, Level
from deepperf.spelling import near

if TYPE_CHECKING:
    from deepperf.rules.registry import LoadedRule

UNUSED_SUPPRESSION = "unused-suppression"
SIGNALS_FOLDER = Path(__file__).parents[1] / "dynamic" / "signals"
ALL = "all"


class Selection(Struct, frozen=True):
    """The rules that run, and what a setting or a comment in the code may call them.

    `groups` maps each selector to the rules, running or not, that it stands for; `narrowed`
    says that the user picked rules, so that nothing can be said about those that stand by.
    """

    rules: tuple[LoadedRule, ...]
    groups: Mapping[str, frozenset[str]]
    reported: frozenset[str]
    narrowed: bool


def select_rules(
    rules: Sequence[LoadedRule],
    options: Options,
    is_preview: Callable[[LoadedRule], bool],
) -> Selection:
    """The rules that `options` ask for, in their order.

    A rule in preview runs when `options.preview` is set or when it is selected by its own
    name. Raises `WrongUse` for a selector that names nothing.
    """
    groups = selectors(rules)
    everything = frozenset(loaded.rule.name for loaded in rules) | {UNUSED_SUPPRESSION}
    wanted = expand(options.select, groups) if options.select else everything
    unwanted = expand(options.ignore, groups)
    for chosen in options.per_file_ignores.values():
        expand(chosen, groups)
    known = known_names(rules)
    by_name = {known[selector] for selector in options.select if selector in known}
    running = tuple(
        loaded
        for loaded in rules
        if loaded.rule.name in wanted - unwanted
        and (options.preview or loaded.rule.name in by_name or not is_preview(loaded))
    )
    reported = frozenset(loaded.rule.name for loaded in running)
    if UNUSED_SUPPRESSION in everything - unwanted:
        reported |= {UNUSED_SUPPRESSION}
    return Selection(running, groups, reported, bool(options.select or options.ignore))


def known_names(rules: Iterable[LoadedRule]) -> Mapping[str, str]:
    """Each name and old name of a rule with its present name."""
    names = {name: name for name in (UNUSED_SUPPRESSION, *watched_names())}
    for loaded in rules:
        for alias in loaded.rule.aliases:
            names[alias] = loaded.rule.name
    names.update((loaded.rule.name, loaded.rule.name) for loaded in rules)
    return names


def selectors(rules: Iterable[LoadedRule]) -> Mapping[str, frozenset[str]]:
    """What each selector stands for: rule names by name, old name, topic, cause and "all"."""
    watched = watched_names()
    groups: dict[str, set[str]] = {name: {name} for name in (UNUSED_SUPPRESSION, *watched)}
    groups[ALL] = set(watched)
    for loaded in rules:
        rule = loaded.rule
        for word in (rule.name, rule.topic.replace("_", "-"), rule.cause, ALL, *rule.aliases):
            groups.setdefault(word, set()).add(rule.name)
    return {word: frozenset(names) for word, names in groups.items()}


@functools.cache
def watched_names() -> frozenset[str]:
    """The names of what only `deepperf run` sees: it reads the same settings and comments."""
    with os.scandir(SIGNALS_FOLDER) as listing:
        stems = [entry.name[:-3] for entry in listing if entry.name.endswith(".py")]
    return frozenset(stem.replace("_", "-") for stem in stems if not stem.startswith("_"))


def expand(chosen: Iterable[str], groups: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The rule names that selectors stand for. Raises `WrongUse` for one that is unknown."""
    names: frozenset[str] = frozenset()
    for selector in chosen:
        found = meant(selector, groups)
        if not found:
            unknown = f"unknown rule, topic or cause {selector!r}"
            raise WrongUse(unknown + near(selector, groups), selector)
        names |= found
    return names


def meant(selector: str, groups: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The rule names that a selector stands for, none if it is unknown."""
    exactly = groups.get(selector, frozenset())
    return exactly or groups.get(selector.lower().replace("_", "-"), frozenset())


def without_ignored(
    path: str,
    findings: Iterable[Finding],
    ignores: Mapping[str, tuple[str, ...]],
    groups: Mapping[str, frozenset[str]],
) -> tuple[Finding, ...]:
    """The findings that the ignores of `path` leave."""
    silent = ignored_in(path, ignores, groups)
    return tuple(finding for finding in findings if finding.rule not in silent)


def ignored_in(
    path: str, ignores: Mapping[str, tuple[str, ...]], groups: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """The names that the ignores of `path` silence."""
    from deepperf.check.patterns import matcher

    silent: frozenset[str] = frozenset()
    for pattern, chosen in ignores.items():
        if matcher((pattern,))(path):
            silent |= expand(chosen, groups)
    return silent


def level_in(path: str, options: Options) -> Level:
    """The lowest level to show in a file: what the last pattern that names it says."""
    from deepperf.check.patterns import matcher

    named = [
        level for pattern, level in options.per_file_level.items() if matcher((pattern,))(path)
    ]
    return named[-1] if named else options.level
