"""`deepperf run`: runs a program and says at the end what it lost, to which line, and why."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.cli.report import (
    addresses_of,
    prepare_selection,
    screen_of,
    tell_failures,
    tell_trackers,
    wishes_of,
)

if TYPE_CHECKING:
    from deepperf.dynamic.recorded import Recording
    from deepperf.dynamic.report import Report
    from deepperf.dynamic.wishes import Wishes

HELP = "run a program, and say at the end what it lost, to which line, and why"
SPAN = ("--start-after", "--stop-after", "--for")
WITH_VALUE = ("--record", "--report", "--format", "--select", "--ignore", "--level", "--to", *SPAN)


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.usage = "deepperf run [options] script.py ... | -m module ... | -- python script.py ..."
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="keep the trace here, for `deepperf report`"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="write the report here, not to standard error"
    )
    told = "watch only from then on: a time such as 30s, 5m or 1h, or a number of steps"
    parser.add_argument("--start-after", metavar="TIME", help=told)
    parser.add_argument("--stop-after", metavar="TIME", help="watch only until then")
    parser.add_argument("--for", dest="length", metavar="TIME", help="watch only for so long")
    prepare_selection(parser)
    parser.add_argument("-m", dest="module", metavar="module", help="run a module, as Python does")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="the script and its arguments")


def spelled_out(words: list[str]) -> list[str]:
    """What follows the module's name is the program's, also what looks like an option."""
    for number, word in enumerate(words):
        if word == "--" or not word.startswith("-"):
            is_value = number > 0 and words[number - 1] in WITH_VALUE
            if not is_value:
                return words
        if word == "-m":
            return [*words[:number], "--", *words[number:]]
    return words


def run(arguments: argparse.Namespace) -> int:
    """Run the program and report; the program's own exit status. Raises `WrongUse`."""
    import os

    from deepperf.dynamic.launch import program_of, run_program
    from deepperf.dynamic.scratch import scratch_folder
    from deepperf.dynamic.wishes import options_of

    wishes = wishes_of(arguments)
    # What is wrong is told now, and not after hours.
    options_of(os.getcwd())
    wishes.is_shown()
    addresses_of(arguments)
    command = program_of(arguments.program)
    told = _span(arguments)
    for path in filter(None, (arguments.record, arguments.report)):
        _require_place(path)
    if arguments.record:
        _require_replaceable(arguments.record)
    with scratch_folder() as scratch:
        trace = Path(os.path.abspath(arguments.record or scratch / "run.dperf"))
        trace.unlink(missing_ok=True)
        processes = scratch / "processes"
        processes.mkdir()
        status = run_program(command, trace, processes, told)
        _report(trace, processes, arguments, wishes)
    return 128 - status if status < 0 else status


def _span(arguments: argparse.Namespace) -> dict[str, str]:
    """The variables that say which part is watched. Raises `WrongUse`."""
    from deepperf.config.options import WrongUse
    from deepperf.dynamic.recording.span import LENGTH, START, STOP, extent_of

    values = arguments.start_after, arguments.stop_after, arguments.length
    found = {}
    for option, name, value in zip(SPAN, (START, STOP, LENGTH), values, strict=True):
        if value is not None:
            try:
                extent_of(value)
            except ValueError as error:
                raise WrongUse(f"{option}: {error}") from None
            found[name] = value
    return found


def _require_place(path: Path) -> None:
    """Raises `WrongUse` where no file can be written."""
    import os

    from deepperf.config.options import WrongUse

    folder = path.absolute().parent
    if path.is_dir():
        raise WrongUse(f"{path}: is a folder")
    if not folder.is_dir():
        raise WrongUse(f"{path}: there is no folder {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise WrongUse(f"{path}: cannot be written")


def _require_replaceable(path: Path) -> None:
    """Raises `WrongUse` for a file that is no trace of an earlier run: it may be the script."""
    from deepperf.config.options import WrongUse
    from deepperf.dynamic.recording.trace import MAGIC

    if not path.exists():
        return
    if not path.is_file():
        raise WrongUse(f"{path}: is no file")
    with path.open("rb") as stream:
        if stream.read(len(MAGIC)) not in (MAGIC, b""):
            raise WrongUse(f"{path}: is there already, and is no trace of a run")


def _report(trace: Path, processes: Path, arguments: argparse.Namespace, wishes: Wishes) -> None:
    """Tell what was seen; whatever is wrong with that costs a line, not the program's status."""
    import sys

    from deepperf.config.options import WrongUse

    if not trace.exists():
        print("deepperf: the program ended before anything could be recorded", file=sys.stderr)
        return
    try:
        from deepperf.dynamic.closing import closed
        from deepperf.dynamic.recorded import read_folder, read_recording
        from deepperf.dynamic.report import report_on

        others = read_folder(processes)
        tell_failures(others.failures)
        recording = closed(read_recording(trace).trace, wishes.select, others.traces)
        if arguments.record:
            _keep(recording, trace)
        report = report_on(recording, wishes)
        _tell(report, arguments)
        tell_trackers(report, addresses_of(arguments))
    except WrongUse as error:
        print(f"deepperf: {error}", file=sys.stderr)


def _tell(report: Report, arguments: argparse.Namespace) -> None:
    """Write the report, and print it where no file was asked for or can be written."""
    import sys

    from deepperf.check.files import reason
    from deepperf.dynamic.report import Screen, shown

    screen = screen_of(sys.stderr) if arguments.report is None else Screen()
    text = shown(report, arguments.format, screen)
    if arguments.report is not None:
        try:
            arguments.report.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            said = f"{arguments.report}: cannot be written: {reason(error)}"
            print(f"deepperf: {said}", file=sys.stderr)
        else:
            return
    print(text, end="", file=sys.stderr)


def _keep(recording: Recording, path: Path) -> None:
    import sys

    from deepperf.check.files import reason
    from deepperf.dynamic.recorded import write_recording

    try:
        write_recording(recording, path)
    except OSError as error:
        print(f"deepperf: {path}: cannot be written: {reason(error)}", file=sys.stderr)
