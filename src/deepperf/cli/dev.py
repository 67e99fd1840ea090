"""`deepperf dev`: for those who work on deepperf itself."""

from __future__ import annotations

import argparse

HELP = "work on deepperf itself: write a new rule's files"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own verbs."""
    verbs = parser.add_subparsers(dest="dev_verb", required=True, metavar="verb")
    new_rule = verbs.add_parser("new-rule", help="write the page and the check of a new rule")
    new_rule.add_argument("place", metavar="topic/name", help="input_pipeline/serial-map, say")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked. Raises WrongUse for a name that cannot be or is taken."""
    from deepperf.dev.new_rule import new_rule
    from deepperf.rules.registry import RULES_FOLDER

    for path in new_rule(arguments.place, RULES_FOLDER):
        print(f"wrote {path}")
    print("now: pytest tests/rules/test_pages.py says what is left to do")
    return 0
