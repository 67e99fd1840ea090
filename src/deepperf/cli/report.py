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


def _recording(path: Path) -> Recording:
    """That in a file, or of the processes that have recorded into a folder. Raises `WrongUse`."""
    from deepperf.config.options import WrongUse
    from deepperf.dynamic.closing import closed
    from deepperf.dynamic.recorded import read_folder, read_recording

    if not path.is_dir():
        return read_recording(path)
    found = sorted(read_folder(path), key=lambda trace: trace.began)
    if not found:
        raise WrongUse(f"{path}: no process has recorded there")
    return closed(found[0], (), found[1:])


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
    recording = _recording(arguments.trace)
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
    return 0
