"""What checks: the rules, how a file is looked at, and a mark of their make."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from deepperf.check.cache import package_stamp
from deepperf.config.options import Options

if TYPE_CHECKING:
    from deepperf.check.run import Look
    from deepperf.check.select import Selection

Progress = Callable[[int, int], None]
"""Told how many files are done, of how many."""


class WorkerLost(Exception):
    """A worker process ended before its work was done; the message is one line."""


def installed_rules(options: Options) -> Selection:
    """The installed rules that `options` ask for. Raises `WrongUse` for an unknown selector."""
    from deepperf.check.select import select_rules
    from deepperf.rules.evidence import is_preview
    from deepperf.rules.registry import load_rules

    return select_rules(load_rules(), options, is_preview)


class Engine(Struct, frozen=True):
    """`look` left out, files are looked at as the semantic engine does.

    `stamp` changes whenever the same files and options may give other reports.
    """

    select: Callable[[Options], Selection] = installed_rules
    look: Look | None = None
    stamp: Callable[[], str] = package_stamp
