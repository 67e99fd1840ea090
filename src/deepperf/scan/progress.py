"""How far a scan is, and how long it will take: a bar for people, now and then a line for logs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

Advance = Callable[[str, float], None]
"""Told that a thing is done, and how much of the whole it was."""
EVERY = 30.0
"""Seconds between lines."""


@contextmanager
def progress(what: str, total: float) -> Iterator[Advance]:
    """Shows on the standard error what is done of `total`, while it lasts."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(what, total, console)
        return
    bar = Progress(
        TextColumn("{task.description:32}"), BarColumn(), TaskProgressColumn(),
        TimeElapsedColumn(), TimeRemainingColumn(), console=console,
    )  # fmt: skip
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda name, part: bar.update(task, description=name[:32], advance=part)


def _lines(what: str, total: float, console: Console) -> Advance:
    begin = last = time.monotonic()
    done = 0.0
    count = 0

    def advance(_: str, part: float) -> None:
        nonlocal done, count, last
        done += part
        count += 1
        now = time.monotonic()
        if now - last >= EVERY and done:
            last = now
            left = (now - begin) * (total - done) / done
            share = done / total
            console.print(f"{what}: {count} done, {share:.0%}, {in_words(left)} left")

    return advance


def in_words(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
