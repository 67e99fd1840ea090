"""Folders in which runs record, each locked by the process that owns it; of those whose owner was
killed, the next run removes what is left."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from deepperf.dynamic.recording.trace import SUFFIX

PREFIX = "deepperf-"
OWNER = ".owner"
"""The file by which a folder says which process owns it, which holds a lock on it as long as it
lives: a number of a process may soon be that of another."""
MOST_REMOVED = 64
"""Folders that one run removes."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a new folder, which is gone at the end."""
    folder, lock = _new()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def owned_folder() -> Path:
    """A new folder, owned by this process until that ends; whoever asked for it removes it."""
    return _new()[0]


def _new() -> tuple[Path, int | None]:
    """A new folder, and what it is locked by."""
    remove_abandoned(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    with suppress(OSError):
        return folder, _locked(folder)
    return folder, None


def _locked(folder: Path) -> int | None:
    if sys.platform == "win32":
        return None
    import fcntl

    unnamed = folder / f"{OWNER}-{os.getpid()}"
    # Left open: the lock goes with the last process that has it, forked children included.
    file = os.open(unnamed, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)
    os.write(file, f"{os.getpid()}\n".encode())
    # Whoever finds it finds it locked.
    os.rename(unnamed, folder / OWNER)
    return file


def remove_abandoned(home: Path) -> None:
    """Remove the folders of ours in `home` whose owner is gone; those of other users, and those in
    which processes that it started still record, are left alone."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        removed = 0
        for entry in [one for one in os.scandir(home) if one.name.startswith(PREFIX)]:
            with suppress(OSError):
                removed += _remove_if_abandoned(Path(entry.path))
            if removed == MOST_REMOVED:
                return


def _remove_if_abandoned(folder: Path) -> bool:
    """Whether it was. Raises OSError where it is in use, or has no owner."""
    if sys.platform == "win32":
        return False
    import fcntl

    told = os.lstat(folder)
    if not stat.S_ISDIR(told.st_mode) or told.st_uid != os.getuid():
        return False
    # A folder without such a file is not known to be ours.
    # What is no file, such as a pipe, is not waited for.
    file = os.open(folder / OWNER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        owner = os.fstat(file)
        is_ours = stat.S_ISREG(owner.st_mode) and owner.st_uid == os.getuid()
        is_abandoned = is_ours and not _is_recorded_in(folder)
        if is_abandoned:
            shutil.rmtree(folder, ignore_errors=True)
        return is_abandoned
    finally:
        os.close(file)


def _is_recorded_in(folder: Path) -> bool:
    """Whether a process lives on whose recording is in a folder."""
    numbers = (path.stem for path in folder.rglob(f"*{SUFFIX}"))
    return any(_is_alive(int(number)) for number in numbers if number.isdigit())


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
