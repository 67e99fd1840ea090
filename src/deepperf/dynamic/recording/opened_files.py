"""Which files a program opens to read, and how often it was met at work of its own since then;
which it opens to write all of them anew."""

from __future__ import annotations

import builtins
import io
import os
import stat
import sys
import threading
import zlib
from types import FrameType
from typing import Any

from deepperf.dynamic.recording.places import DEEPEST, Place, place_in
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

OPENED = "opened files"
WORKED = f"{OPENED} worked"
REWRITTEN = f"{OPENED} rewritten"
MOST_FILES = 500
"""Files told apart at a line; more of them are a data set, and hardly fit into memory."""
READING = frozenset(("r", "rt", "tr", "rb", "br"))
WRITING = frozenset(("w", "wt", "tw", "wb", "bw"))
PIECES, OF_PIECE = 64, 1024
"""Parts of what is read from memory by which it is told from others, and their bytes."""
IN_MEMORY = "BytesIO"
"""How the name begins of what is read from memory."""
PATHS = os.sep + "pathlib"
"""The name of what stands between a program's `path.open()`, or `path.read_text()`, and what
opens."""


def follow(tape: Tape) -> None:
    """Note under `OPENED` which files are opened at a line, and under `WORKED` the samples at which
    a line was at work of Python's, and not of a library's, once one was opened again; under
    `REWRITTEN` which files that are there are written anew, and how they grow."""
    watched = _Watch(tape)
    open_one = builtins.open

    @standing_for(open_one)
    def opened(*arguments: Any, **named: Any) -> Any:
        if _mode_of(arguments, named) in WRITING and tape.active:
            # Once it is open, it is empty.
            watched.take_written(sys._getframe(1), arguments, named)
        stream = open_one(*arguments, **named)
        if tape.active:
            watched.take(sys._getframe(1), arguments, named)
        return stream

    builtins.open = opened
    io.open = opened
    tape.at_samples(OPENED, watched.look)


def _mode_of(arguments: tuple[Any, ...], named: Any) -> Any:
    mode = arguments[1] if len(arguments) > 1 else named.get("mode", "r")
    return mode if isinstance(mode, str) else ""


def _name_of(arguments: tuple[Any, ...], named: Any) -> Any:
    """The file's name; None where it is no name."""
    given = arguments[0] if arguments else named.get("file")
    return given if isinstance(given, (str, bytes, os.PathLike)) else None


def version_of(path: str) -> tuple[str, int]:
    """A key that tells a file, or a folder of them, from others and from itself once it is written
    anew, and its size. Raises OSError."""
    known = os.stat(path)
    newest = known.st_mtime_ns
    if stat.S_ISDIR(known.st_mode):
        with os.scandir(path) as listing:
            newest = max([newest, *(one.stat().st_mtime_ns for one in listing)])
    return f"{os.path.abspath(path)} {newest} {known.st_size}", known.st_size


def version_in_memory(stream: Any) -> tuple[str, str, int] | None:
    """The same of a `BytesIO`, after a name for it; None for any other stream."""
    if not isinstance(stream, io.BytesIO) or stream.closed:
        return None
    held = stream.getbuffer()
    size = len(held)
    digest = zlib.crc32(b"")
    for begin in range(0, size, max(OF_PIECE, size // PIECES)):
        digest = zlib.crc32(held[begin : begin + OF_PIECE], digest)
    held.release()
    return f"{IN_MEMORY} of {size / 1e6:,.2g} MB", f"{IN_MEMORY} {size} {digest}", size


def entry_of(detail: dict[str, Any], key: str, path: str, size: int) -> dict[str, Any] | None:
    """What a line's detail keeps of a file, counted once more; None where there are too many."""
    files: dict[str, dict[str, Any]] = detail.setdefault("files", {})
    if key not in files and len(files) >= MOST_FILES:
        detail["many"] = True
        return None
    entry = files.setdefault(key, {"name": os.path.basename(path), "size": size, "count": 0})
    entry["count"] += 1
    return entry


class _Watch:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._is_again = False

    def take(self, frame: FrameType | None, arguments: tuple[Any, ...], named: Any) -> None:
        place = self._asked_from(frame)
        given = _name_of(arguments, named)
        if place is not None and given is not None and _mode_of(arguments, named) in READING:
            self._tape.guarded(OPENED, lambda: self._note(place, given))

    def take_written(self, frame: FrameType | None, arguments: tuple[Any, ...], named: Any) -> None:
        place = self._asked_from(frame)
        given = _name_of(arguments, named)
        if place is not None and given is not None:
            self._tape.guarded(REWRITTEN, lambda: self._note_written(place, given))

    def _asked_from(self, frame: FrameType | None) -> Place | None:
        while frame is not None and PATHS in frame.f_code.co_filename:
            frame = frame.f_back
        path = "" if frame is None else self._tape.code.path_of(frame.f_code.co_filename)
        return place_in(path, frame) if path and frame is not None else None

    def _note_written(self, place: Place, given: Any) -> None:
        path = os.path.abspath(os.fsdecode(given))
        try:
            size = os.stat(path).st_size
        except OSError:
            return
        self._tape.note(REWRITTEN, place, size=size)
        detail = self._tape.detail(REWRITTEN, place)
        entry = entry_of(detail, path, path, size)
        if entry is not None:
            entry.setdefault("first", size)
            entry["grown"] = entry.get("grown", 0) + (size > entry["size"])
            entry["size"] = size
            ticks = self._tape.ticks
            entry["steps"] = entry.get("steps", 0) + (entry.get("last") != ticks)
            entry["last"] = ticks

    def _note(self, place: Place, given: Any) -> None:
        path = os.path.abspath(os.fsdecode(given))
        key, size = version_of(path)
        self._tape.note(OPENED, place)
        entry = entry_of(self._tape.detail(OPENED, place), key, path, size)
        if entry is not None:
            entry["path"] = path
            if threading.current_thread() is not threading.main_thread():
                self._tape.detail(OPENED, place)["aside"] = True
            self._is_again = self._is_again or entry["count"] > 1

    def look(self, frame: FrameType | None) -> None:
        """Runs in the sampler's thread."""
        if not self._is_again:
            return
        code = self._tape.code
        for _ in range(DEEPEST):
            if frame is None or "site-packages" in frame.f_code.co_filename:
                return
            path = code.path_of(frame.f_code.co_filename)
            if path:
                place = place_in(path, frame)
                self._tape.note(WORKED, place)
                return
            frame = frame.f_back
