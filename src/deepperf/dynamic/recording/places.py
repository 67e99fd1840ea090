"""Lines of the user's own code, told from those of frameworks and of Python."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import sysconfig
from types import CodeType, FrameType
from typing import NamedTuple

PASSING_ON = "__torch_function__"
"""What of ours runs an operation, and so stands for it while it does."""
LISTENERS = (PASSING_ON, "_hear", "hears", "heard", "_before", "_after")
"""Functions of ours that run for each operation or call of a module, while a window is open."""
STANDARD = "python"
"""What stands for Python's own library among packages."""
SITES = ("site-packages", "dist-packages")
DEEPEST = 200
"""Frames of a stack that are looked at."""


MOST_CALLS = 8
"""Functions of libraries within each other that are kept of what a line calls."""
WRAPPERS = frozenset(
    {"_wrapped_call_impl", "_call_impl", "decorate_context", "wrapper", "error_handler", "_fn"}
)
"""Functions of libraries that only call another one."""


class Place(NamedTuple):
    """A line of the user's code: the file's absolute path, the line from 1, the function."""

    file: str
    line: int
    function: str


def place_in(path: str, frame: FrameType) -> Place:
    """Where a frame of a user's file is."""
    code = frame.f_code
    return Place(path, frame.f_lineno or line_before(code, frame.f_lasti), code.co_name)


@functools.lru_cache(maxsize=1024)
def line_before(code: CodeType, offset: int) -> int:
    """The line of what stands before an instruction that has none, such as the jump to a loop's
    next iteration; the first one of the code where nothing does."""
    lines = (line for begin, _, line in code.co_lines() if begin <= offset and line)
    return functools.reduce(lambda _, line: line, lines, code.co_firstlineno)


def _installed_in(folder: str) -> frozenset[str]:
    """The files and folders at the top of a folder that pip's records list."""
    found: set[str] = set()
    # What cannot be read was not installed by pip.
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.endswith(".dist-info"):
                found |= _listed_in(os.path.join(folder, name, "RECORD"))
    return frozenset(found - {"..", ""})


def _listed_in(record: str) -> set[str]:
    with contextlib.suppress(OSError, ValueError), open(record, encoding="utf-8") as lines:
        return {line.partition(",")[0].partition("/")[0] for line in lines}
    return set()


def _package(filename: str) -> str:
    parts = filename.split(os.sep)
    below = [parts[number + 1] for number, part in enumerate(parts[:-1]) if part in SITES]
    return below[-1].partition(".")[0] if below else STANDARD


class UserCode:
    """Tells which files are the user's; remembers the answers.

    What is installed, Python itself and deepperf are not; everything else is.
    """

    def __init__(self) -> None:
        paths = sysconfig.get_paths()
        own = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
        listed = {paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"], own}
        self._foreign = tuple(os.path.join(folder, "") for folder in listed)
        self._own = os.path.join(own, "")
        self._known: dict[str, str] = {}
        self._packages: dict[str, str] = {}
        self._installed: dict[str, frozenset[str]] = {}

    def path_of(self, filename: str) -> str:
        """The absolute path of a user's file; "" for any other."""
        known = self._known.get(filename)
        if known is None:
            known = self._known[filename] = self._find(filename)
        return known

    def _find(self, filename: str) -> str:
        if filename.startswith("<"):
            return ""
        try:
            path = os.path.abspath(filename)
        except OSError:
            # The folder that the program is in is gone, and with it what the name refers to.
            return ""
        parts = path.split(os.sep)
        is_foreign = path.startswith(self._foreign) or SITES[0] in parts
        # What AutoGraph and Inductor write stands for a function whose caller is the line to name.
        is_foreign = is_foreign or parts[-1].startswith("__autograph_generated_file")
        is_foreign = is_foreign or any(part.startswith("torchinductor_") for part in parts[:-1])
        kept = os.environ.get("TORCHINDUCTOR_CACHE_DIR", "")
        is_foreign = is_foreign or (bool(kept) and path.startswith(os.path.join(kept, "")))
        if is_foreign or SITES[1] in parts or self._is_installed(path):
            return ""
        return path

    def _is_installed(self, path: str) -> bool:
        """Whether `pip install --target` put it into a folder that Python looks into."""
        for one in sys.path:
            try:
                folder = os.path.join(os.path.abspath(one), "")
            except (OSError, TypeError):
                # A folder that is gone, or nothing that Python would look into.
                continue
            if path.startswith(folder):
                if folder not in self._installed:
                    self._installed[folder] = _installed_in(folder)
                if path[len(folder) :].partition(os.sep)[0] in self._installed[folder]:
                    return True
        return False

    def package_of(self, frame: FrameType | None) -> str:
        """The installed package that is at work in a stack, "" for the user's own code."""
        innermost = frame
        for _ in range(DEEPEST):
            if frame is None:
                break
            name = frame.f_code.co_filename
            package = self._packages.get(name)
            if package is None:
                package = self._packages[name] = "" if self.path_of(name) else _package(name)
            if package != STANDARD:
                # The library of Python's belongs to whoever calls it.
                return package if package or frame is innermost else STANDARD
            frame = frame.f_back
        return STANDARD

    def calls_below(self, frame: FrameType | None) -> tuple[str, ...]:
        """The functions of libraries through which the innermost line of the user's is at work,
        the one that it calls first."""
        names: list[str] = []
        for _ in range(DEEPEST):
            if frame is None or self.path_of(frame.f_code.co_filename):
                break
            is_own = frame.f_code.co_filename.startswith(self._own)
            if not is_own and frame.f_code.co_name not in WRAPPERS:
                names.append(getattr(frame.f_code, "co_qualname", frame.f_code.co_name))
            frame = frame.f_back
        names.reverse()
        return tuple(names[:MOST_CALLS])

    def is_listener(self, frame: FrameType | None) -> bool:
        """Whether what runs is ours, and hears of an operation, rather than the program."""
        if frame is not None and frame.f_code.co_name == PASSING_ON:
            return False
        while frame is not None and frame.f_code.co_filename.startswith(self._own):
            if frame.f_code.co_name in LISTENERS:
                return True
            frame = frame.f_back
        return False

    def place(self, frame: FrameType | None) -> Place | None:
        """The innermost line of the user's in a stack."""
        for _ in range(DEEPEST):
            if frame is None:
                return None
            path = self.path_of(frame.f_code.co_filename)
            if path:
                return place_in(path, frame)
            frame = frame.f_back
        return None

    def caller(self) -> Place | None:
        """The innermost line of the user's in the stack of whoever asks."""
        return self.place(sys._getframe(1))

    def stack(self, frame: FrameType | None) -> list[Place]:
        """All lines of the user's in a stack, innermost first."""
        found = []
        for _ in range(DEEPEST):
            if frame is None:
                break
            path = self.path_of(frame.f_code.co_filename)
            if path:
                found.append(place_in(path, frame))
            frame = frame.f_back
        return found
