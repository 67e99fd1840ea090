"""`deepperf scan`: try the rules on many packages, and keep book of what they say."""

from __future__ import annotations

import argparse

HELP = "try the rules on many packages, and keep book of what they say"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own verbs and options."""
    from deepperf.scan.verbs import asking, judging, scanning

    verbs = parser.add_subparsers(dest="scan_verb", required=True, metavar="verb")
    for group in (scanning, asking, judging):
        group.prepare(verbs)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked. Raises `WrongUse` naming what of it cannot be done."""
    arguments.scan_run(arguments)
    return 0
