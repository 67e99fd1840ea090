"""`deepperf.watch()`: a program watches a part of itself, and is told at its end what that lost."""

from __future__ import annotations

import atexit
import contextlib
import functools
import inspect
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar, cast

from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import SUFFIX
from deepperf.dynamic.scratch import owned_folder

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Region:
    """A part of a program, to be entered by `with`, or around a function as a decorator."""

    def __init__(self, record: Path | None) -> None:
        self._record = record

    def __enter__(self) -> None:
        watch = _watch_of_process()
        if watch is not None:
            watch.enter(self._record)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        watch = _watch_of_process()
        if watch is not None:
            watch.leave()

    def __call__(self, function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        """The function, watched whenever it runs."""
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*arguments: Given.args, **named: Given.kwargs) -> object:
                with self:
                    return await function(*arguments, **named)

            return cast("Callable[Given, Answer]", awaited)

        @functools.wraps(function)
        def called(*arguments: Given.args, **named: Given.kwargs) -> Answer:
            with self:
                return function(*arguments, **named)

        return called


def watch(record: str | os.PathLike[str] | None = None) -> Region:
    """Watch a region of this program: `with deepperf.watch(): …`, or `@deepperf.watch()`.

    All regions of a process make one recording. When the process ends, the report on it goes to
    standard error, and the recording to the file `record`, if one is named; where
    `DEEPPERF_RECORD` names a folder, it goes there instead, for `deepperf report FOLDER`. Under
    `deepperf run` everything is watched, and regions make no difference.
    """
    return Region(None if record is None else Path(os.path.abspath(record)))


class _Watch:
    """What all regions of a process share."""

    def __init__(self, folder: Path, tell: Callable[[], None]) -> None:
        before = time.process_time()
        from deepperf.dynamic import child

        self.record: Path | None = None
        self._tape = Tape(folder / f"{os.getpid()}{SUFFIX}", [sys.executable, *sys.orig_argv[1:]])
        self._tape.forks = folder
        self._lock = threading.Lock()
        self._depth = 0
        self._process = os.getpid()
        atexit.register(tell)
        atexit.register(self._tape.finish)
        child.finish_before_hard_exits(self._tape)
        child.record(self._tape, before)
        self._tape.pause()
        atexit.register(self._tape.take_last_notes)

    def enter(self, record: Path | None) -> None:
        with self._lock:
            self.record = record or self.record
            self._depth += 1
            if self._depth == 1 and os.getpid() == self._process:
                self._tape.resume()

    def leave(self) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0 and os.getpid() == self._process:
                self._tape.pause()


@functools.cache
def _watch_of_process() -> _Watch | None:
    """None where the whole process is watched already."""
    if "deepperf.dynamic.child" in sys.modules:
        return None
    from deepperf.dynamic.children import FOLDER

    named = os.environ.get(FOLDER)
    folder = Path(named) if named else owned_folder()
    owner = os.getpid()

    def tell() -> None:
        if not named and os.getpid() == owner:
            with contextlib.suppress(OSError):
                _tell(folder, found.record)
            shutil.rmtree(folder, ignore_errors=True)

    found = _Watch(folder, tell)
    return found


def _tell(folder: Path, record: Path | None) -> None:
    """The report on what processes have left in a folder, on standard error."""
    from deepperf.config.options import WrongUse
    from deepperf.dynamic.closing import closed
    from deepperf.dynamic.recorded import read_folder, write_recording
    from deepperf.dynamic.report import Screen, report_on, shown
    from deepperf.dynamic.wishes import Wishes

    found = read_folder(folder)
    for failure in found.failures:
        print(f"deepperf: {failure} (left out)", file=sys.stderr)
    if not found.traces:
        return
    first, *others = sorted(found.traces, key=lambda trace: trace.began)
    recording = closed(first, (), others)
    screen = Screen(shutil.get_terminal_size((100, 40)).columns)
    try:
        print(shown(report_on(recording, Wishes()), "text", screen), end="", file=sys.stderr)
    except WrongUse as error:
        print(f"deepperf: {error}", file=sys.stderr)
    if record is not None:
        write_recording(recording, record)
