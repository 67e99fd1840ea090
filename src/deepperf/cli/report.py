"""`deepperf report`: what a recorded run lost, to which line, and why."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from deepperf.dynamic.recorded import Recording
    from deepperf.dynamic.report import Report, Screen
    from deepperf.dynamic.wishes import Wishes
    from deepperf.surfaces.trackers import Address

HELP = "say what a recorded run lost, to which line, and why"
FORMATS = ("text", "json", "html", "perfetto")
LEVELS = ("note", "warning", "error")
TROUBLE = 3
"""The exit status where something could not be read, and the rest was told."""


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("trace", type=Path, help="what `deepperf run --record` wrote, or a folder")
    prepare_selection(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report here")


def prepare_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that say what is told of a run, and how."""
    add = parser.add_argument
    add("--format", choices=FORMATS, default="text", help="(default: text)")
    add("--select", action="append", metavar="NAME,...", help="only these signals, rules, topics")
    add("--ignore", action="append", metavar="NAME,...", help="all but these")
    add(
        "--level",
        choices=LEVELS,
        help="note: all in full; warning: one screen (the default); error: no notes",
    )
    add(
        "--to",
        action="append",
        default=[],
        metavar="TRACKER[=RUN]",
        help="send the report, too, to wandb, mlflow, trackio or tensorboard; may be given again",
    )


def wishes_of(arguments: argparse.Namespace) -> Wishes:
    """What the arguments of `prepare_selection` say."""
    from deepperf.cli.check import named
    from deepperf.dynamic.wishes import Wishes
    from deepperf.records import Level

    return Wishes(
        select=named("--select", arguments.select),
        ignore=named("--ignore", arguments.ignore),
        level=Level[arguments.level.upper()] if arguments.level else None,
    )


def addresses_of(arguments: argparse.Namespace) -> tuple[Address, ...]:
    """Where `--to` sends the report. Raises `WrongUse` for trackers that are not there."""
    from deepperf.surfaces.trackers import address_of

    return tuple(map(address_of, arguments.to))


def tell_trackers(report: Report, addresses: Sequence[Address]) -> None:
    """Send the report, and say where it went. Raises `WrongUse` where it cannot be sent."""
    import sys

    from deepperf.surfaces.trackers import send

    for line in send(report, addresses) if addresses else ():
        print(f"deepperf: the report is in {line}", file=sys.stderr)


def _recording(path: Path) -> tuple[Recording, int]:
    """That in a file, or of the processes that have recorded into a folder, and the exit status: 3
    where one of these cannot be read, which a line says. Raises `WrongUse`."""
    from deepperf.config.options import WrongUse
    from deepperf.dynamic.closing import closed
    from deepperf.dynamic.recorded import read_folder, read_recording

    if not path.is_dir():
        return read_recording(path), 0
    folder = read_folder(path)
    tell_failures(folder.failures)
    found = sorted(folder.traces, key=lambda trace: trace.began)
    if not found:
        what = (
            "no recording there can be read" if folder.failures else "no process has recorded there"
        )
        raise WrongUse(f"{path}: {what}")
    return closed(found[0], (), found[1:]), TROUBLE if folder.failures else 0


def tell_failures(failures: Sequence[str]) -> None:
    """Say in one line each which recordings were passed over."""
    import sys

    for failure in failures:
        print(f"deepperf: {failure} (left out)", file=sys.stderr)


def screen_of(stream: TextIO) -> Screen:
    """The width of a terminal and its colours."""
    import shutil

    from deepperf.dynamic.report import Screen
    from deepperf.outputs.paint import paint_for

    return Screen(shutil.get_terminal_size((100, 40)).columns, paint_for(stream))


def run(arguments: argparse.Namespace) -> int:
    """Report. Raises `WrongUse` for a trace that cannot be read, and for unknown selectors."""
    import dataclasses
    import sys

    from deepperf.config.options import WrongUse
    from deepperf.dynamic.report import Screen, differences, report_on, shown

    addresses = addresses_of(arguments)
    recording, status = _recording(arguments.trace)
    report = report_on(recording, wishes_of(arguments))
    remarks = (*report.remarks, *differences(recording, Path.cwd()))
    screen = screen_of(sys.stdout) if arguments.output is None else Screen()
    text = shown(dataclasses.replace(report, remarks=remarks), arguments.format, screen)
    if arguments.output is None:
        print(text, end="")
    else:
        try:
            arguments.output.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            reason = error.strerror or error
            raise WrongUse(f"{arguments.output}: cannot be written: {reason}") from None
    tell_trackers(report, addresses)
    return status
