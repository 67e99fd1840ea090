"""`deepperf rule`: what the rules are, what they find, and what was measured of them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepperf.rules.evidence import Evidence
    from deepperf.rules.page import Page
    from deepperf.rules.registry import RuleFiles

HELP = "show a rule's page with its measured evidence, or list all rules"
PLAIN_WIDTH = 200


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("name", nargs="?", help="the rule; all are listed when left out")


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for. Raises WrongUse for an unknown rule."""
    from deepperf.config.options import WrongUse
    from deepperf.rules.registry import UnknownRule, find_rules, page_named

    try:
        shown = (page_named(arguments.name),) if arguments.name else find_rules()
    except UnknownRule as error:
        raise WrongUse(str(error)) from None
    read = [(files, *answer) for files in shown if (answer := _read(files))]
    if arguments.name:
        for _, page, evidence in read:
            _show(page, evidence)
    else:
        _list(read)
    return 0 if len(read) == len(shown) else 3


def _read(files: RuleFiles) -> tuple[Page, Evidence] | None:
    """The rule's page and evidence; None, and a line on standard error, when unreadable."""
    from deepperf.rules.evidence import EvidenceError, read_evidence
    from deepperf.rules.page import PageError, read_page

    try:
        return read_page(files.page), read_evidence(files.evidence, files.name)
    except (OSError, PageError, EvidenceError) as error:
        print(f"deepperf: {error}", file=sys.stderr)
        return None


def _list(read: list[tuple[RuleFiles, Page, Evidence]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from deepperf.rules.evidence import status

    table = Table("rule", "status", "topic", "finds", box=None, pad_edge=False)
    for files, page, evidence in read:
        table.add_row(files.name, status(evidence).value, files.topic, page.summary)
    Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, markup=False).print(table)


def _show(page: Page, evidence: Evidence) -> None:
    from deepperf.rules.show import page_with_evidence

    text = page_with_evidence(page, evidence)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        sys.stdout.write(text)
