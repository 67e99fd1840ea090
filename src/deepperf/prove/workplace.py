"""A folder for trials that is gone at the end, however deepperf ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# It outlives us by as long as deleting takes: the pipe ends when we do, killed or not.
_CLEANER = """
import os, shutil, signal, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
folder = sys.argv[1]
for line in sys.stdin:
    groups = [int(word) for word in line.split()]
for _ in range(50):
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass
    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        break
    time.sleep(0.1)
"""


class Workplace:
    """The folder, and the groups of processes that work in it now."""

    __slots__ = ("_cleaner", "_groups", "folder")

    def __init__(self, folder: Path, cleaner: subprocess.Popen[str]) -> None:
        self.folder = folder
        self._cleaner = cleaner
        self._groups: list[int] = []

    def begins(self, group: int) -> None:
        """Have this group of processes ended when we are gone."""
        self._groups.append(group)
        self._tell()

    def ended(self, group: int) -> None:
        """The group is no more: another may soon have its number."""
        self._groups.remove(group)
        self._tell()

    def end_all(self) -> None:
        """End what works now."""
        for group in [*self._groups]:
            with suppress(OSError):
                os.killpg(group, signal.SIGKILL)

    def _tell(self) -> None:
        assert self._cleaner.stdin is not None
        with suppress(OSError, ValueError):
            self._cleaner.stdin.write(f"{' '.join(map(str, self._groups))}\n")
            self._cleaner.stdin.flush()


@contextmanager
def workplace() -> Iterator[Workplace]:
    """Gives a new folder; it and what runs in it are gone at the end."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="deepperf-prove-")))
    cleaner = subprocess.Popen(
        [sys.executable, "-S", "-c", f"groups = []\n{_CLEANER}", os.fspath(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        yield Workplace(folder, cleaner)
    finally:
        assert cleaner.stdin is not None
        with suppress(OSError):
            cleaner.stdin.close()
        with suppress(KeyboardInterrupt):
            cleaner.wait()
