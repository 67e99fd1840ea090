"""What the user wants to hear of: the project's settings, its comments, and the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.config.options import Options
from deepperf.dynamic.diagnosis import Choice
from deepperf.records import Level, Role

if TYPE_CHECKING:
    from deepperf.check.select import Selection


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line says: selectors as in `check`, and the level, None if not given."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    level: Level | None = None

    def is_shown(self) -> Callable[[Collection[str], Choice], bool]:
        """Tells whether to show what goes by these names and the project's settings judge so.

        Raises `WrongUse` for a selector that names nothing.
        """
        from deepperf.check.engine import installed_rules
        from deepperf.check.select import expand

        groups = installed_rules(Options(select=self.select, ignore=self.ignore)).groups
        wanted = expand(self.select, groups).union(self.select)
        unwanted = expand(self.ignore, groups).union(self.ignore)

        def shown(names: Collection[str], choice: Choice) -> bool:
            if choice is Choice.SILENCED or not unwanted.isdisjoint(names):
                return False
            return not wanted.isdisjoint(names) if wanted else choice is Choice.SHOWN

        return shown


@dataclass(frozen=True, slots=True)
class Judge:
    """What a file is for, and what settings and comments say of names at one of its lines."""

    role: Role
    choice: Callable[[Collection[str], int], Choice]


def options_of(folder: str) -> Options:
    """The settings that count in a folder. Raises `WrongUse` for wrong ones."""
    from deepperf.check.engine import installed_rules
    from deepperf.check.versions import overriding
    from deepperf.config.load import load_options, settings_of

    options, config = load_options(Path(folder))
    with settings_of(config):
        installed_rules(options)
        overriding(options.framework_versions)
    return options


def judge_of(file: str, folder: str) -> Judge:
    """The judge of a file; where there is none, of a run in a folder. Raises `WrongUse`."""
    from deepperf.check.engine import installed_rules
    from deepperf.check.files import relative_name
    from deepperf.check.patterns import matcher
    from deepperf.check.select import expand, ignored_in
    from deepperf.config.load import project_root
    from deepperf.semantics.text.source import role_of

    home = Path(os.path.dirname(file) if file else folder)
    options = options_of(str(home))
    selection = installed_rules(options)
    groups = selection.groups
    name = relative_name(Path(file), project_root(home)[0]) if file else ""
    wanted = expand(options.select, groups).union(options.select)
    unwanted = expand(options.ignore, groups).union(options.ignore)
    unwanted |= ignored_in(name, options.per_file_ignores, groups)
    is_excluded = bool(file) and matcher(options.exclude)(name)
    is_silenced = _comments(file, selection)

    def choice(names: Collection[str], line: int) -> Choice:
        is_ignored = is_excluded or not unwanted.isdisjoint(names)
        if is_ignored or any(is_silenced(line, one) for one in names):
            return Choice.SILENCED
        is_selected = not wanted or not wanted.isdisjoint(names)
        return Choice.SHOWN if is_selected else Choice.UNSELECTED

    return Judge(role_of(name), choice)


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
