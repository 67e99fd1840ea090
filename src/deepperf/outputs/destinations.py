"""Where reports go: standard output in one format, and any number of files in others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from itertools import islice
from pathlib import PurePath
from types import MappingProxyType
from typing import TextIO

from msgspec import Struct

from deepperf.config.options import WrongUse
from deepperf.outputs.paint import PLAIN, Paint
from deepperf.outputs.results import Results

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "html")
_ENDINGS: Mapping[str, str] = MappingProxyType(
    {".txt": "text", ".json": "json", ".sarif": "sarif", ".xml": "junit", ".html": "html"}
)


class Destination(Struct, frozen=True):
    """A file, and the format to write it in."""

    format: str
    path: str


def destination(word: str) -> Destination:
    """What `FILE` or `FORMAT=FILE` means. Raises `WrongUse` where the format is not told."""
    name, equals, path = word.partition("=")
    if equals and path and name in FORMATS:
        return Destination(name, path)
    file = PurePath(word)
    # `report.sarif.json` is how some name SARIF.
    found = ".sarif" if ".sarif" in file.suffixes else file.suffix.lower()
    if found not in _ENDINGS:
        known = ", ".join(_ENDINGS)
        raise WrongUse(f"--output {word}: write FORMAT=FILE, or a name that ends in {known}")
    return Destination(_ENDINGS[found], word)


@contextmanager
def opened(destinations: Sequence[Destination]) -> Iterator[Callable[[Results], None]]:
    """Gives a function that writes the files; what they hold is kept until then.

    No empty file is left. Raises `WrongUse` for one that cannot be written.
    """
    with ExitStack() as stack:
        streams = []
        for one in destinations:
            if not os.path.lexists(one.path):
                stack.callback(_remove_if_empty, one.path)
            try:
                # `errors`: a file's name may hold what no encoding has.
                stream = open(one.path, "a", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise WrongUse(f"--output {one.path}: {reason}") from None
            streams.append((one, stack.enter_context(stream)))

        def write_all(results: Results) -> None:
            for one, stream in streams:
                if os.path.isfile(one.path):
                    stream.truncate(0)
                write(stream, rendered(one.format, results, PLAIN))

        yield write_all


def _remove_if_empty(path: str) -> None:
    with suppress(OSError):
        if not os.path.getsize(path):
            os.unlink(path)


def rendered(format_name: str, results: Results, paint: Paint) -> Iterator[str]:
    """The lines of a format, or of the statistics."""
    module = import_module(f"deepperf.outputs.{format_name}")
    lines: Callable[[Results, Paint], Iterator[str]] = module.lines
    return lines(results, paint)


def write(out: TextIO, lines: Iterable[str]) -> None:
    """Write lines, some hundred at a time: each by itself takes longer than making it."""
    iterator = iter(lines)
    while block := list(islice(iterator, 500)):
        out.write("\n".join((*block, "")))
