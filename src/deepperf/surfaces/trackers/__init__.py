"""A report on a run, sent to what tracks experiments: a file per tracker, with
`send(parcel, place) -> str`, which says where it went.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from deepperf.config.options import WrongUse
from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.report import Report, Screen, shown

LIBRARIES = {"tensorboard": "tensorboardX"}
"""The modules that are not called as their tracker is."""
FILES = {"json": "deepperf-report.json", "html": "deepperf-report.html"}


@dataclass(frozen=True, slots=True)
class Parcel:
    """What a tracker takes of a report: numbers by name, the steps that ran, and files.

    `text` is the report for those that keep no files.
    """

    metrics: Mapping[str, float]
    steps: int
    files: Path
    text: str


@dataclass(frozen=True, slots=True)
class Address:
    """A tracker, and the run or folder in it; "" where a new one is to be made."""

    tracker: str
    place: str


def trackers() -> tuple[str, ...]:
    """The names of the trackers."""
    names = (entry.name for entry in os.scandir(os.path.dirname(__file__)) if entry.is_file())
    return tuple(sorted(name[:-3] for name in names if name.endswith(".py") and name[0] != "_"))


def address_of(text: str) -> Address:
    """The tracker that `TRACKER` or `TRACKER=PLACE` names.

    Raises `WrongUse` where there is none, and where its library is not installed.
    """
    tracker, _, place = text.partition("=")
    if tracker not in trackers():
        raise WrongUse(f"there is no tracker {tracker!r}; known are {', '.join(trackers())}")
    library = LIBRARIES.get(tracker, tracker)
    if find_spec(library) is None:
        raise WrongUse(f"{library} is not installed: pip install 'deepperf[{tracker}]'")
    return Address(tracker, place)


def send(report: Report, addresses: Sequence[Address]) -> tuple[str, ...]:
    """Send a report to trackers, and say where it went. Raises `WrongUse` where it cannot."""
    with tempfile.TemporaryDirectory(prefix="deepperf-") as folder:
        for format_name, name in FILES.items():
            with contextlib.suppress(WrongUse):  # a page needs a library that may not be there
                text = shown(report, format_name, Screen())
                (Path(folder) / name).write_text(text, encoding="utf-8", errors="backslashreplace")
        clock = report.trace.clock
        steps = clock.count if clock else 0
        parcel = Parcel(metrics(report), steps, Path(folder), shown(report, "text", Screen()))
        return tuple(_sent(parcel, address) for address in addresses)


def metrics(report: Report) -> dict[str, float]:
    """The share of the run's time that is lost, and what each kind of finding has of it.

    What findings cost of the memory's peak is told apart.
    """
    found = {"deepperf/lost_share": 0.0}
    for item in report.verdict.findings:
        name = f"deepperf/{item.weight.value}/{item.rule or item.signal}"
        found[name] = found.get(name, 0.0) + item.share
        if item.weight is Weight.TIME:
            found["deepperf/lost_share"] += item.share
    return found


def _sent(parcel: Parcel, address: Address) -> str:
    module = importlib.import_module(f"{__name__}.{address.tracker}")
    try:
        # Trackers talk on standard output, where the report may go.
        with contextlib.redirect_stdout(sys.stderr):
            return f"{address.tracker}: {module.send(parcel, address.place)}"
    except Exception as error:
        # Whatever a tracker raises, such as for a network that is not there, is its user's to know.
        raise WrongUse(f"{address.tracker}: {error}") from error
