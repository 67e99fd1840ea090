"""What the user wants to hear of: the project's settings, its comments, and the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.config.options import Options
from deepperf.dynamic.diagnosis import Diagnosis, Verdict
from deepperf.records import Level

if TYPE_CHECKING:
    from deepperf.check.select import Selection


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line says: selectors as in `check`, and the level, None if not given."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    level: Level | None = None

    def on_top_of(self, options: Options) -> Options:
        """The settings of a project, with these having the last word."""
        return replace(
            options,
            select=self.select or options.select,
            ignore=(*options.ignore, *self.ignore),
            level=self.level or options.level,
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left of a verdict, how much was silenced, and the lowest level to show."""

    verdict: Verdict
    silenced: int
    level: Level


def options_of(folder: str, wishes: Wishes) -> Options:
    """The settings that count in a folder. Raises `WrongUse` for wrong ones."""
    from deepperf.check.engine import installed_rules
    from deepperf.check.versions import overriding
    from deepperf.config.load import load_options, settings_of

    given, config = load_options(Path(folder))
    options = wishes.on_top_of(given)
    with settings_of(config):
        installed_rules(options)
        overriding(options.framework_versions)
    return options


def kept(verdict: Verdict, folder: str, wishes: Wishes) -> Kept:
    """The verdict on a run in `folder`, without what its users do not want to hear of.

    Raises `WrongUse` for wrong settings.
    """
    told = (*verdict.findings, *verdict.notes)
    is_wanted = _judge(told, folder, wishes)
    findings = tuple(filter(is_wanted, verdict.findings))
    notes = tuple(filter(is_wanted, verdict.notes))
    left = replace(verdict, findings=findings, notes=notes)
    silenced = len(told) - len(findings) - len(notes)
    return Kept(left, silenced, options_of(folder, wishes).level)


def _judge(told: Iterable[Diagnosis], folder: str, wishes: Wishes) -> Callable[[Diagnosis], bool]:
    judges: dict[str, Callable[[Diagnosis], bool]] = {}
    for item in told:
        if item.file not in judges:
            judges[item.file] = _judge_of(item.file, folder, wishes)
    return lambda item: judges[item.file](item)


def _judge_of(file: str, folder: str, wishes: Wishes) -> Callable[[Diagnosis], bool]:
    """Tells which diagnoses of one file are wanted."""
    from deepperf.check.engine import installed_rules
    from deepperf.check.files import relative_name
    from deepperf.check.patterns import matcher
    from deepperf.check.select import expand, ignored_in
    from deepperf.config.load import project_root

    home = Path(os.path.dirname(file) if file else folder)
    options = options_of(str(home), wishes)
    selection = installed_rules(options)
    wanted = expand(options.select, selection.groups)
    name = relative_name(Path(file), project_root(home)[0]) if file else ""
    unwanted = expand(options.ignore, selection.groups)
    unwanted |= ignored_in(name, options.per_file_ignores, selection.groups)
    is_excluded = bool(file) and matcher(options.exclude)(name)
    is_silenced = _comments(file, selection)

    def is_wanted(item: Diagnosis) -> bool:
        names = {item.rule or item.signal, item.signal}
        is_chosen = not wanted or not names.isdisjoint(wanted) or item.cause in options.select
        is_ignored = not names.isdisjoint(unwanted) or item.cause in options.ignore
        if is_excluded or is_ignored or not is_chosen:
            return False
        return not any(is_silenced(item.line, one) for one in names)

    return is_wanted


def _comments(file: str, selection: Selection) -> Callable[[int, str], bool]:
    from deepperf.check.sources import read_text
    from deepperf.check.suppress import silencer
    from deepperf.records import Failure

    try:
        source = read_text(file, Path(file).read_bytes()) if file else None
    except OSError:
        source = None
    if source is None or isinstance(source, Failure):
        return lambda _line, _name: False
    return silencer(source.text, selection)
