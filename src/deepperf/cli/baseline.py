"""`deepperf baseline`: remember what is found today, so that checks tell what is new."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deepperf.cli.config import prepare_settings, settings_from

HELP = "remember today's findings, so that checks tell only new ones"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("paths", nargs="*", default=["."], help="files and folders")
    add(
        "--output",
        type=Path,
        metavar="FILE",
        help="where to write it (default: where the settings have it, or deepperf-baseline.json)",
    )
    prepare_settings(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check and write the baseline. Raises `WrongUse`."""
    from deepperf.check.known import FILE, write_baseline
    from deepperf.check.paths import check_tree, merged, shown_reports, starts
    from deepperf.outputs.paint import harmless, paint_for
    from deepperf.outputs.progress import progress
    from deepperf.outputs.results import counted
    from deepperf.outputs.text import failure_line

    found = starts(arguments.paths, lambda options: options, settings_from(arguments))
    with progress("checking") as tell:
        trees = [check_tree(start, progress=tell) for start in found]
    reports = merged((tree, shown_reports(tree)) for tree in trees)
    configured = found[0].options.baseline
    target = arguments.output or Path(configured or FILE)
    findings = [f for report in reports for f in (*report.findings, *report.hidden)]
    write_baseline(target, findings)
    failures = [failure for report in reports for failure in report.failures]
    for failure in failures:
        print(failure_line(failure, paint_for(sys.stderr)), file=sys.stderr)
    hint = "" if configured else f"; check with --baseline {target}, or set `baseline` to it"
    print(harmless(f"{counted(len(findings), 'finding')} written to {target}{hint}"))
    return 3 if any(not failure.rule for failure in failures) else 0
