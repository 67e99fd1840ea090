"""`deepperf report`: what a recorded run lost, to which line, and why."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "say what a recorded run lost, to which line, and why"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("trace", type=Path, help="what `deepperf run --record` wrote")
    parser.add_argument("--format", choices=("text", "json", "html"), default="text")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report here")


def run(arguments: argparse.Namespace) -> int:
    """Report. Raises `WrongUse` for a trace that cannot be read."""
    from deepperf.config.options import WrongUse
    from deepperf.dynamic.report import shown_report

    text = shown_report(arguments.trace, arguments.format)
    if arguments.output is None:
        print(text, end="")
        return 0
    try:
        arguments.output.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise WrongUse(f"{arguments.output}: cannot be written: {reason}") from None
    return 0
