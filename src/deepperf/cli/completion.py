"""`deepperf completion`: a script with which a shell completes deepperf's commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

HELP = "print the script with which a shell completes commands, options, rules and files"
SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
SELECTORS = ("RULE,...", "NAME,...")


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that is to read it")


def run(arguments: argparse.Namespace) -> int:
    """Print the script; rules, topics and causes are those of this version."""
    import shtab

    from deepperf.cli.main import parsers, verbs

    parser, _ = parsers(verbs())
    for action in _actions(parser):
        _complete(action)
    print(shtab.complete(parser, arguments.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All that a parser takes, and the parsers of its verbs."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                yield from _actions(verb)
        elif action.nargs != 0:
            yield action


def _complete(action: argparse.Action) -> None:
    """Say what may follow, where the parser itself cannot: files, folders, rules, topics."""
    import shtab

    from deepperf.check.select import selectors
    from deepperf.rules.registry import find_rules, load_rules

    shown = action.metavar if isinstance(action.metavar, str) else action.dest
    if shown in SELECTORS:
        action.choices = sorted(selectors(load_rules()))
    elif shown in ("name", "rule"):
        action.choices = [files.name for files in find_rules()]
    elif shown == "DIR":
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif action.type is Path or shown.endswith("FILE") or shown in ("paths", "program"):
        action.complete = shtab.FILE  # type: ignore[attr-defined]
