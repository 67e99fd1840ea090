"""A recording: the traces of a run and what is said of them, complete without the program."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import msgspec

from deepperf.config.options import WrongUse
from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.join import Checked
from deepperf.dynamic.recording.trace import CLOCKS, FORMAT, SUFFIX, VERSION, Trace, write_trace
from deepperf.records import Level

MOST_PACKED = 32 * 2**20
MOST_BYTES = 64 * 2**20
"""Bytes of a file that are read, and of what is unpacked: hours of training leave less than one
million."""
LARGEST = 1e18
"""No number of a run is larger."""
LONGEST = 2**18
"""Characters of a text: an argument of a command may be long."""
GZIP = 16 + zlib.MAX_WBITS


class TraceError(WrongUse):
    """A trace that cannot be read, in one line that names the file."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file that ran: its digest, and the numbered lines around the places that are told of."""

    file: str
    size: int
    sha256: str
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of a run: all diagnoses and static findings, also those that are not shown.

    `lines` are file, line, function and share of time of the lines at which most time is spent;
    `level` is the lowest that the project's settings show; `remarks` say in one line each what
    could not be done.
    """

    diagnoses: tuple[Diagnosis, ...]
    lines: tuple[tuple[str, int, str, float], ...]
    checked: tuple[Checked, ...]
    texts: tuple[Text, ...]
    level: Level
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """The traces of the processes that ran, that of which the report tells first, and what is said
    of them.

    `told` is None where nobody closed the recording, since deepperf itself was killed.
    """

    processes: tuple[Trace, ...]
    told: Told | None

    @property
    def trace(self) -> Trace:
        """That of the process of which the report tells."""
        return self.processes[0]


def write_recording(recording: Recording, path: Path) -> None:
    """Write it whole or not at all. Raises OSError."""
    write_trace(path, recording.processes, recording.told)


def read_recording(path: Path) -> Recording:
    """The recording in a file, whose every value has its type. Raises `TraceError`."""
    try:
        data = json.loads(_unpacked(path))
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror or 'no trace'}") from None
    except (ValueError, RecursionError, zlib.error):
        raise TraceError(f"{path}: is no trace") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise TraceError(f"{path}: is no trace")
    version = data.get("version")
    if type(version) is not int or version != VERSION:
        raise TraceError(f"{path}: {_of_version(version)}")
    try:
        recording = msgspec.convert(data, Recording)
        _require_sense(recording)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise TraceError(f"{path}: is no whole trace: {error}") from None
    return recording


@dataclass(frozen=True, slots=True)
class Folder:
    """The traces that processes have left in a folder; `failures` names in one line each those that
    cannot be read, and says why."""

    traces: tuple[Trace, ...]
    failures: tuple[str, ...]


def read_folder(folder: Path) -> Folder:
    """What is recorded in a folder."""
    found, failures = [], []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            found.append(read_recording(path).trace)
        except TraceError as error:
            failures.append(str(error))
    return Folder(tuple(found), tuple(failures))


def _unpacked(path: Path) -> bytes:
    """What a file of gzip's holds. Raises OSError, zlib.error, `TraceError`."""
    with path.open("rb") as stream:
        packed = stream.read(MOST_PACKED + 1)
    if len(packed) > MOST_PACKED:
        raise TraceError(f"{path}: is larger than any trace ({MOST_PACKED // 2**20} MiB)")
    unpacking = zlib.decompressobj(GZIP)
    data = unpacking.decompress(packed, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise TraceError(f"{path}: holds more than any trace ({MOST_BYTES // 2**20} MiB)")
    if not unpacking.eof:
        raise zlib.error("cut off")
    return data


def _of_version(version: object) -> str:
    if type(version) is int and 0 < version < VERSION:
        return f"was recorded by an older deepperf (format {version}, not {VERSION}): record again"
    return f"was not recorded by this deepperf, which reads format {VERSION}"


def _require_sense(recording: Recording) -> None:
    """Raises ValueError for what no run can have left."""
    if not recording.processes:
        raise ValueError("no process ran")
    _require_bounds(recording, "")
    for trace in recording.processes:
        times = trace.seconds, trace.importing, trace.cpu_seconds, trace.coreless, trace.overhead
        more = trace.idle, trace.waited, trace.startup, trace.children_cpu_seconds
        if min(*times, *more) < 0:
            raise ValueError("a time is negative")
        if any(n not in range(len(trace.samples)) for one in trace.stacks for n in one.lines):
            raise ValueError("a stack has a line that was not seen")
        unknown = {clock.name for clock in trace.clocks} - {*CLOCKS}
        if unknown:
            raise ValueError(f"nothing ticks as {min(unknown)!r}")


def _require_bounds(value: Any, name: str) -> None:
    """Raises ValueError for what cannot be calculated with or shown, and a share of no whole."""
    if isinstance(value, str):
        if len(value) > LONGEST:
            raise ValueError(f"{name} is too long")
    elif isinstance(value, (int, float)):
        least, most = (0, 1) if name == "share" else (-LARGEST, LARGEST)
        if not least <= value <= most:
            raise ValueError(f"{name} is out of range")
    elif is_dataclass(value):
        for field in fields(value):
            # What a signal alone knows is read when the recording is closed, and never again.
            if field.name != "detail":
                _require_bounds(getattr(value, field.name), field.name)
    elif isinstance(value, Mapping):
        for part in (*value, *value.values()):
            _require_bounds(part, name)
    elif isinstance(value, tuple):
        for part in value:
            _require_bounds(part, name)
