"""The same unchanged file is read, decoded or parsed again and again from one line."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FrameType, ModuleType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, share_of_seconds, told_at
from deepperf.dynamic.program.reading import lines_of_reading
from deepperf.dynamic.recording import opened_files
from deepperf.dynamic.recording.opened_files import OPENED, WORKED, entry_of
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "repeated-read"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution",)
FEWEST_READS = 8
"""Reads from a line: a few runs of a small experiment read their input as often."""
EACH_FILE = 4
"""Reads of a file on average: one for each of three epochs is how data sets are read."""
LARGEST = 500_000_000
"""Bytes of all files together up to which their contents can be kept: decoded they are larger."""
READERS: Mapping[str, tuple[str, ...]] = {
    "numpy": ("load", "loadtxt", "genfromtxt", "fromfile"),
    "pandas": (
        "read_csv",
        "read_table",
        "read_json",
        "read_pickle",
        "read_parquet",
        "read_excel",
        "read_hdf",
        "read_feather",
    ),
    "json": ("load",),
    "pickle": ("load",),
    "yaml": ("load", "safe_load"),
    "joblib": ("load",),
    "cv2": ("imread",),
    "imageio": ("imread",),
    "imageio.v2": ("imread",),
    "imageio.v3": ("imread",),
    "skimage.io": ("imread",),
    "matplotlib.image": ("imread",),
    "matplotlib.pyplot": ("imread",),
    "torchvision.io": ("read_image", "decode_image"),
    "scipy.io": ("loadmat",),
    "scipy.io.wavfile": ("read",),
    "soundfile": ("read",),
    "librosa": ("load",),
    "torchaudio": ("load",),
}
"""Functions that read all of a file, which they are given first: by its name, or open. What loads
weights is told by another signal."""
ARCHIVE = "NpzFile"
"""What `numpy.load` makes of a file of several arrays."""
TABLE, ARRAY = "DataFrame", "ndarray"
TOOK, COLUMNS, ROWS = "took", "columns", "rows"
"""What is noted of what a line reads, for those who ask how much of it is used."""
LOADED = "_deepperf_read"
SIMPLE = (str, int, float, bool, type(None))
"""Types of arguments that tell one reading of a file from another."""


def watch(tape: Tape) -> None:
    """Learn of what is read by functions that the program calls itself."""
    opened_files.follow(tape)
    for home, names in READERS.items():
        tape.imports.after(home, functools.partial(_watch, tape, names))
    tape.imports.after("PIL.Image", functools.partial(_watch, tape, ("open",)))
    tape.imports.after("PIL.ImageFile", lambda module: _watch_decoding(tape, module))
    tape.imports.after("h5py", lambda module: _watch_opening(tape, module))


def _watch(tape: Tape, names: Iterable[str], module: ModuleType) -> None:
    for name in names:
        read = getattr(module, name, None)
        if callable(read):
            timed = _timed(tape, read)
            # Functions are handed to other processes by their names.
            timed.__module__, timed.__qualname__ = module.__name__, name
            setattr(module, name, timed)


def _timed(tape: Tape, read: Callable[..., Any]) -> Callable[..., Any]:
    @standing_for(read)
    def timed(*arguments: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        if not _is_asked_for(tape, frame):
            return read(*arguments, **named)
        source = tape.guarded(NAME, lambda: _source(arguments, named))
        clock = _clock()
        begin = clock()
        result = read(*arguments, **named)
        seconds = clock() - begin
        if source is not None:
            place = Place(*_at(tape, frame))
            tape.guarded(NAME, lambda: _note(tape, place, source, seconds, result))
        return result

    return timed


def _is_asked_for(tape: Tape, frame: FrameType) -> bool:
    """Whether the program itself calls: what a library reads for it may be cheap to that."""
    return tape.active and bool(tape.code.path_of(frame.f_code.co_filename))


def _clock() -> Callable[[], float]:
    """What tells how long the main thread takes, and of another what it computes: while that waits,
    others go on."""
    is_main = threading.current_thread() is threading.main_thread()
    return time.perf_counter if is_main else time.thread_time


def _at(tape: Tape, frame: FrameType) -> tuple[str, int, str]:
    code = frame.f_code
    return tape.code.path_of(code.co_filename), frame.f_lineno or code.co_firstlineno, code.co_name


def _source(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[str, str, int] | None:
    """The name of the file, all that tells this reading of it from others, and its size."""
    given = [*arguments, *named.values()]
    if not given:
        return None
    first, position = given[0], 0
    if hasattr(first, "read"):
        # Several objects may follow each other in a file.
        name = getattr(first, "name", None)
        with contextlib.suppress(OSError, ValueError):
            position = first.tell()
        in_memory = opened_files.version_in_memory(first)
        if in_memory is not None:
            name, version, size = in_memory
            return name, f"{version} {position} {_rest(given, named)}", size
    else:
        name = first
    if not isinstance(name, (str, bytes, os.PathLike)):
        return None
    path = os.path.abspath(os.fsdecode(name))
    try:
        known = os.stat(path)
    except OSError:
        return None
    # Written anew, it is another.
    return path, f"{known.st_mtime_ns} {position} {_rest(given, named)}", known.st_size


def _rest(given: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """What else tells one reading from another."""
    return [one for one in (*given[1:], *named) if isinstance(one, SIMPLE)]


def _note(
    tape: Tape, place: Place, source: tuple[str, str, int], seconds: float, result: Any
) -> None:
    path, version, size = source
    tape.note(NAME, place)
    _note_parts(tape.detail(NAME, place), seconds, result)
    entry = entry_of(tape.detail(NAME, place), f"{path} {version}", path, size)
    if entry is None:
        return
    entry["again"] = entry.get("again", 0.0) + (seconds if entry["count"] > 1 else 0.0)
    if threading.current_thread() is not threading.main_thread():
        tape.detail(NAME, place)["aside"] = True
    if hasattr(result, "tile") and hasattr(result, "__dict__"):
        setattr(result, LOADED, entry)
    elif type(result).__name__ == ARCHIVE:
        _watch_members(tape, type(result))
        setattr(result, LOADED, entry)


def _note_parts(detail: dict[str, Any], seconds: float, result: Any) -> None:
    """How long reading took in all, and of how many columns or rows what was read is made."""
    detail[TOOK] = detail.get(TOOK, 0.0) + seconds
    kind = type(result).__name__
    if kind == TABLE:
        detail[COLUMNS] = max(detail.get(COLUMNS, 0), len(result.columns))
    elif kind == ARRAY and result.ndim:
        detail[ROWS] = max(detail.get(ROWS, 0), len(result))


def _watch_members(tape: Tape, archive: Any) -> None:
    """NumPy reads and unpacks an array of an archive when it is asked for."""
    pick = archive.__getitem__
    if hasattr(pick, LOADED):
        return

    @standing_for(pick)
    def timed(self: Any, key: Any) -> Any:
        entry = self.__dict__.get(LOADED) if tape.active else None
        if entry is None:
            return pick(self, key)
        begin = time.perf_counter()
        try:
            return pick(self, key)
        finally:
            if entry["count"] > 1:
                entry["again"] += time.perf_counter() - begin

    setattr(timed, LOADED, True)
    archive.__getitem__ = timed


def _watch_decoding(tape: Tape, module: Any) -> None:
    """Pillow decodes an image when its pixels are first asked for."""
    load = module.ImageFile.load

    @standing_for(load)
    def timed(self: Any) -> Any:
        entry = self.__dict__.pop(LOADED, None) if tape.active else None
        if entry is None:
            return load(self)
        begin = time.perf_counter()
        try:
            return load(self)
        finally:
            if entry["count"] > 1:
                entry["again"] += time.perf_counter() - begin

    module.ImageFile.load = timed


def _watch_opening(tape: Tape, module: Any) -> None:
    """To open an HDF5 file takes longer than to read a row of it."""
    cls = module.File
    cls.__init__ = _timed_opening(tape, cls.__init__)


def _timed_opening(tape: Tape, begin_using: Callable[..., None]) -> Callable[..., None]:
    @standing_for(begin_using)
    def timed(self: Any, *arguments: Any, **named: Any) -> None:
        frame = sys._getframe(1)
        clock = _clock()
        begin = clock()
        begin_using(self, *arguments, **named)
        seconds = clock() - begin
        if _is_asked_for(tape, frame) and getattr(self, "mode", "") == "r":
            source = tape.guarded(NAME, lambda: _source(arguments, named))
            if source is not None:
                place = Place(*_at(tape, frame))
                tape.guarded(NAME, lambda: _note(tape, place, source, seconds, None))

    return timed


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that read little, and read it often."""
    told: set[str] = set()
    for seen in trace.observations:
        if seen.kind == NAME and _is_often(seen):
            files = list(seen.detail["files"].values())
            told |= {entry["name"] for entry in files}
            yield _diagnosis(trace, seen, files, sum(entry["again"] for entry in files))
    for seen in trace.observations:
        if seen.kind == OPENED and _is_often(seen):
            files = list(seen.detail["files"].values())
            # What a function reads from a stream that is opened here is told where it is called.
            if not told & {entry["name"] for entry in files}:
                yield _diagnosis(trace, seen, files, _worked(trace, seen))


def _is_often(seen: Observation) -> bool:
    files = seen.detail.get("files", {}).values()
    held = sum(entry["size"] for entry in files)
    is_often = seen.count >= max(FEWEST_READS, EACH_FILE * len(files))
    return bool(files) and not seen.detail.get("many") and is_often and held <= LARGEST


def _worked(trace: Trace, opened: Observation) -> float:
    """The seconds that the lines worked which an opened file is read at, but for the first time."""
    lines = lines_of_reading(opened.file, opened.line)
    if opened.detail.get("aside"):
        looks = sum(
            seen.own
            for thread in trace.threads
            for seen in thread.samples
            if seen.file == opened.file and seen.line in lines
        )
        return looks * trace.interval * (1 - 1 / opened.count)
    met = sum(
        seen.count
        for seen in trace.observations
        if seen.kind == WORKED and seen.file == opened.file and seen.line in lines
    )
    return met * trace.interval


def _diagnosis(trace: Trace, seen: Observation, files: Sequence[Any], again: float) -> Diagnosis:
    held = sum(entry["size"] for entry in files)
    if len(files) == 1:
        message = f"`{files[0]['name']}` is read repeatedly, and has not changed"
    else:
        what = "files"
        if all(entry["name"].startswith(opened_files.IN_MEMORY) for entry in files):
            what = "files in memory"
        message = f"the same {len(files):,} {what} are read repeatedly, and have not changed"
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-data-preprocessing",
        message=message,
        evidence=(
            f"{seen.count:,} times for {held / 1e6:,.1f} MB; all but the first of each took "
            f"{again:.2f} s"
        ),
        remedy="read it once, before the loop, and keep the result",
        share=_share(trace, seen, again),
    )


def _share(trace: Trace, seen: Observation, again: float) -> float:
    """The share of the run; of what other threads compute, that of the processor's time."""
    if seen.detail.get("aside"):
        return min(1.0, again / trace.cpu_seconds) if trace.cpu_seconds else 0.0
    return share_of_seconds(trace, again)
