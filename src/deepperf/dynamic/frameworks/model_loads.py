"""From which files a program loads models and weights, line by line, and how often unchanged."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, NamedTuple

from deepperf.dynamic.recording.opened_files import entry_of, version_in_memory, version_of
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation
from deepperf.dynamic.recording.unseen import standing_for

FEWEST = 4
"""Loads of one unchanged file from one line: one to begin with, one of the best epoch, one to
compare."""
SOURCES = ("f", "filename", "filepath", "export_dir", "pretrained_model_name_or_path")
"""How the file is called where it is not the first argument."""


class Again(NamedTuple):
    """What was loaded often, unchanged: how often, and the seconds that all but one load took."""

    name: str
    times: int
    seconds: float


class Loads:
    """Notes, under the kind that is given, what is loaded at each line of the program."""

    def __init__(self, tape: Tape, kind: str) -> None:
        self._tape = tape
        self._kind = kind
        self._state = threading.local()

    @property
    def is_loading(self) -> bool:
        """Whether this thread is loading something just now."""
        return getattr(self._state, "loading", False)

    def follow(self, functions: Mapping[str, str]) -> None:
        """Learn of calls of these functions, by the modules that they stand in."""
        for home, name in functions.items():
            self._tape.imports.after(home, functools.partial(self._watch, name))

    def follow_classes(self, classes: Mapping[str, str]) -> None:
        """The same of `from_pretrained` of these classes."""
        for home, name in classes.items():
            self._tape.imports.after(home, functools.partial(self._watch_class, name))

    def _watch(self, name: str, module: Any) -> None:
        load = getattr(module, name)

        @standing_for(load)
        def watched(*arguments: Any, **named: Any) -> Any:
            source = _source(arguments, named)
            return self._timed(source, lambda: load(*arguments, **named), sys._getframe(1))

        setattr(module, name, watched)

    def _watch_class(self, name: str, module: Any) -> None:
        cls = getattr(module, name)
        load = cls.__dict__["from_pretrained"].__func__

        @standing_for(load)
        def watched(of: Any, *arguments: Any, **named: Any) -> Any:
            source = _source(arguments, named)
            return self._timed(source, lambda: load(of, *arguments, **named), sys._getframe(1))

        cls.from_pretrained = classmethod(watched)

    def _timed(self, source: Any, load: Callable[[], Any], frame: FrameType) -> Any:
        if not self._tape.active or self.is_loading:
            return load()
        self._state.loading = True
        begin = time.perf_counter()
        try:
            return load()
        finally:
            self._state.loading = False
            seconds = time.perf_counter() - begin
            self._tape.guarded(self._kind, lambda: self._note(source, seconds, frame))

    def _note(self, source: Any, seconds: float, frame: FrameType) -> None:
        place = self._tape.code.place(frame)
        in_memory = version_in_memory(source)
        if place is None or not (in_memory or isinstance(source, (str, os.PathLike))):
            return
        # What is no file is a name that a hub knows.
        name, key, size = in_memory or (os.fspath(source), os.fspath(source), 0)
        with contextlib.suppress(OSError):
            key, size = (key, size) if in_memory else version_of(name)
        self._tape.note(self._kind, place)
        entry = entry_of(self._tape.detail(self._kind, place), key, name, size)
        if entry is not None:
            entry["seconds"] = entry.get("seconds", 0.0) + seconds


def _source(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    given = (named[name] for name in SOURCES if name in named)
    return arguments[0] if arguments else next(given, None)


def loaded_again(seen: Observation) -> Again | None:
    """The unchanged file whose loads took longest, if there were enough of them."""
    files = [entry for entry in seen.detail.get("files", {}).values() if entry["count"] >= FEWEST]
    if not files:
        return None
    most = max(files, key=lambda entry: float(entry["seconds"]))
    count = most["count"]
    return Again(most["name"], count, most["seconds"] * (count - 1) / count)
