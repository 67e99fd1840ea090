"""Finds the rules: a rule is a folder with a page and a check, inside a topic's folder."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from deepperf.rules.rule import Check, Rule, checks_of
from deepperf.spelling import near

RULES_FOLDER = Path(__file__).parent
REFUSED = "refused"


class RuleFiles(Struct, frozen=True, order=True):
    """Where a rule lies; known without importing anything."""

    name: str
    topic: str
    module: str
    source: Path
    page: Path
    evidence: Path


class LoadedRule(Struct, frozen=True):
    """A rule, its checks, and the paths of its page and (perhaps absent) evidence."""

    rule: Rule
    checks: tuple[Check[object], ...]
    page: Path
    evidence: Path

    @property
    def name(self) -> str:
        return self.rule.name


class RuleModuleError(Exception):
    """A rule's module does not declare its rule."""


class UnknownRule(LookupError):
    """No rule has this name; the message is one line that names the closest."""


def find_rules(folder: Path = RULES_FOLDER) -> tuple[RuleFiles, ...]:
    """Every rule under `folder`, by name. A check without a page beside it is no rule."""
    return tuple(found for found in _pages(folder) if found.source.exists())


def find_refusals(folder: Path = RULES_FOLDER) -> tuple[RuleFiles, ...]:
    """Pages on advice that measurements do not bear out, by name: these have no check."""
    return tuple(found for found in _pages(folder) if found.topic == REFUSED)


def _pages(folder: Path) -> list[RuleFiles]:
    return sorted(
        RuleFiles(
            name=page.parent.name.replace("_", "-"),
            topic=page.parent.parent.name,
            module=f"deepperf.rules.{page.parent.parent.name}.{page.parent.name}.rule",
            source=page.with_name("rule.py"),
            page=page,
            evidence=page.with_name("evidence.json"),
        )
        for page in folder.glob("*/*/page.md")
    )


def load_rules(names: Iterable[str] | None = None) -> tuple[LoadedRule, ...]:
    """The rules called `names`, or all, by name; pages and evidence are not read.

    Raises UnknownRule, and RuleModuleError for a module without a `rule`.
    """
    if names is None:
        return _installed()
    return tuple(_load(files) for files in sorted({named(name) for name in names}))


@functools.cache
def _installed() -> tuple[LoadedRule, ...]:
    # A language server asks for them with each key that is pressed.
    return tuple(_load(files) for files in find_rules())


def named(name: str) -> RuleFiles:
    """The rule called `name`. Raises UnknownRule."""
    found = {files.name: files for files in find_rules()}
    wanted = name.replace("_", "-").lower()
    if wanted in found:
        return found[wanted]
    for loaded in load_rules():
        if wanted in loaded.rule.aliases:
            return found[loaded.name]
    raise UnknownRule(f"no rule is called {name!r}{near(wanted, found)}")


def page_named(name: str) -> RuleFiles:
    """The rule, or the refusal, called `name`. Raises UnknownRule."""
    wanted = name.replace("_", "-").lower()
    refusals = (files for files in find_refusals() if files.name == wanted)
    return next(refusals, None) or named(name)


@functools.cache
def _load(files: RuleFiles) -> LoadedRule:
    module = importlib.import_module(files.module)
    rule = getattr(module, "rule", None)
    if not isinstance(rule, Rule):
        raise RuleModuleError(f"{files.source}: no `rule = Rule(__name__, ...)` in this module")
    return LoadedRule(rule, checks_of(module), files.page, files.evidence)
