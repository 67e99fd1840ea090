"""How far measuring is, shown on a terminal and gone at the end."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def bar(console: Console, counted: str) -> Progress:
    """A bar with a description, how many of all `counted` are done, and the time that is left.

    Nothing is shown where the console is no terminal.
    """
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{counted},"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
