"""A progress bar on a terminal's standard error, for what takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

MOMENT = 1.0
"""Seconds that pass before the bar appears."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Gives a function to be told (done, of how many); the bar is gone at the end."""
    bars: list[tuple[Progress, TaskID]] = []
    begin = time.monotonic()
    visible = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if not visible or (not bars and time.monotonic() - begin < MOMENT):
            return
        if not bars:
            bars.append(_started(what, total))
        bar, task = bars[0]
        bar.update(task, completed=done, total=total)
        bar.refresh()

    try:
        yield tell
    finally:
        for bar, _ in bars:
            bar.stop()


def _started(what: str, total: int) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import Progress

    # No thread of its own: worker processes may be forked while the bar is shown.
    bar = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
    bar.start()
    return bar, bar.add_task(what, total=total)
