"""`deepperf compare`: what got better and worse from one recorded run to another."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepperf.prove.recordings import Row

HELP = "say what got better and worse from one recorded run to another"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add = parser.add_argument
    add("before", type=Path, help="what `deepperf run --record` wrote")
    add("after", type=Path, help="the same of the run that it is compared with")
    add(
        "--fail-over",
        type=_part,
        metavar="PERCENT",
        help="exit with 1 if steps, memory or a count got worse by more, such as 5%%",
    )
    add("--format", choices=("text", "json"), default="text", help="(default: text)")


def _part(text: str) -> float:
    number = text.removesuffix("%")
    try:
        return float(number) / 100
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage such as 5%") from None


def run(arguments: argparse.Namespace) -> int:
    """Compare. Raises `WrongUse` for what is no recording."""
    from deepperf.dynamic.recorded import read_recording
    from deepperf.prove.recordings import compared, failing, plain

    rows = compared(read_recording(arguments.before), read_recording(arguments.after))
    failed = failing(rows, arguments.fail_over) if arguments.fail_over is not None else ()
    if arguments.format == "json":
        told = {"rows": [plain(row) for row in rows], "failed": [row.name for row in failed]}
        print(json.dumps(told, indent=2))
    else:
        print("\n".join(_table(rows)))
    for row in failed:
        how = f"worse by {_percent(row.worse)}" if math.isfinite(row.worse) else "new"
        print(f"deepperf: {row.name}: {how}", file=sys.stderr)
    return int(bool(failed))


def _table(rows: Sequence[Row]) -> Iterator[str]:
    cells = [
        (row.name, _value(row, row.before), _value(row, row.after), _said(row)) for row in rows
    ]
    cells.insert(0, ("", "before", "after", "change"))
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    for name, before, after, change in cells:
        line = f"{name:<{widths[0]}}  {before:>{widths[1]}}  {after:>{widths[2]}}  {change}"
        yield line.rstrip()


def _value(row: Row, value: float) -> str:
    from deepperf.dynamic.report import duration, size

    if row.unit == "s":
        return duration(value)
    if row.unit == "bytes":
        return size(value)
    if row.unit == "share":
        return f"{value:.1%}"
    return f"{value:,.3g}{row.unit}"


def _said(row: Row) -> str:
    if row.unit == "share":
        return f"{100 * (row.after - row.before):+.1f} points"
    noise = f" (± {_percent(row.noise)})" if row.noise else ""
    if row.noise == math.inf:
        return "too few to tell"
    if not math.isfinite(row.change):
        return "new"
    worse = " worse" if row.worse > 0.01 else ""
    return f"{100 * row.change:+.1f} %{noise}{worse}"


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %"
