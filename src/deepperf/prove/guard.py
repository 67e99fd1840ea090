"""Keeps what a trial runs from writing to the user's own files through a link."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from typing import Any

STOPPED = 86
"""The exit status of a program that was stopped because it would have written there."""
TOLD = "deepperf: stopped before a write to "
_WRITES = {
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.link": (1,),
    "os.symlink": (1,),
    "os.mkdir": (0,),
    "os.rmdir": (0,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "os.utime": (0,),
    "shutil.rmtree": (0,),
}
"""What Python tells of before it changes a file, and which of its arguments are the paths."""
_FOLLOWS = frozenset({"os.truncate", "os.chmod", "os.utime", "open"})
_OPEN_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def keep_out(protected: Sequence[str], allowed: str) -> None:
    """Stop this process before it writes to, or below, a protected place that is not allowed.

    What is written by other means than Python's own is refused, where the system can: the program
    learns of it as of any file that it may not write.
    """
    tops = tuple(os.path.realpath(path) for path in protected)
    free = os.path.realpath(allowed)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        places: tuple[int, ...] = ()
        if event == "open":
            flags = arguments[2] if len(arguments) > 2 else 0
            places = (0,) if isinstance(flags, int) and flags & _OPEN_TO_WRITE else ()
        elif event in _WRITES:
            places = _WRITES[event]
        for place in places:
            path = arguments[place] if place < len(arguments) else None
            if isinstance(path, (str, bytes, os.PathLike)):
                name = os.fsdecode(path)
                real = os.path.realpath(name) if event in _FOLLOWS else _real_but_last(name)
                if _is_in(real, tops) and not _is_in(real, (free,)):
                    os.write(2, f"\n{TOLD}{real}\n".encode("utf-8", "surrogateescape"))
                    os._exit(STOPPED)

    sys.addaudithook(hook)
    if sys.platform == "linux":
        _refuse_writes(tops, free)


def _is_in(path: str, places: Sequence[str]) -> bool:
    return any(path == place or path.startswith(os.path.join(place, "")) for place in places)


def _real_but_last(path: str) -> str:
    """The path with all links followed but the last: that one is changed itself."""
    return os.path.join(os.path.realpath(os.path.dirname(path) or "."), os.path.basename(path))


# Linux's Landlock: a process gives up rights for itself and all that it starts. Rights are given
# back place by place, so that all but the protected folder is named.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_SET_NO_NEW_PRIVILEGES = 38
_VERSION_ASKED = 1
_PATH_BENEATH = 1
_WRITE_FILE, _TRUNCATE, _REFER = 1 << 1, 1 << 14, 1 << 13
_OF_FOLDERS = sum(1 << bit for bit in range(4, 13))
"""To remove and to make files and folders of all kinds."""


def _refuse_writes(protected: Sequence[str], free: str) -> None:
    """Have the system refuse writes there, where it can."""
    system = ctypes.CDLL(None, use_errno=True)
    version = system.syscall(_CREATE_RULESET, None, 0, _VERSION_ASKED)
    if version < 1:
        return
    of_files = _WRITE_FILE | (_TRUNCATE if version >= 3 else 0)
    rights = of_files | _OF_FOLDERS | (_REFER if version >= 2 else 0)
    ruleset = system.syscall(_CREATE_RULESET, struct.pack("Q", rights), 8, 0)
    if ruleset < 0:
        return
    for path in (free, *_all_but(protected, "/")):
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        given = rights if os.path.isdir(path) else of_files
        system.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", given, place), 0)
        os.close(place)
    system.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    system.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _all_but(protected: Sequence[str], folder: str) -> Iterator[str]:
    """The highest places below a folder that hold nothing that is protected."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        # A link may lead to what is protected.
        if path in protected or os.path.islink(path):
            continue
        if any(_is_in(place, (path,)) for place in protected):
            yield from _all_but(protected, path)
        else:
            yield path
