"""`deepperf completion`: a script with which a shell completes deepperf's commands."""

from __future__ import annotations

import argparse
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

    from deepperf.cli.main import every_parser, parsers, verbs

    parser, _ = parsers(verbs())
    for _, command in every_parser(parser):
        for action in command._actions:
            if action.nargs != 0 and not isinstance(action, argparse._SubParsersAction):
                _complete(action)
    print(shtab.complete(parser, arguments.shell))
    return 0


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
