"""Tells signals when a program first compiles with PyTorch, so that they get out of its way."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from deepperf.dynamic.tape import Tape


def before_compiling(tape: Tape, torch: Any, work: Callable[[], None]) -> None:
    """Do `work` once, when `torch.compile` is first called: modes and hooks that are there while
    it compiles would become a part of what it compiles."""
    compile_one = getattr(torch, "compile", None)
    if compile_one is None:
        return

    @functools.wraps(compile_one)
    def watched(*arguments: Any, **named: Any) -> Any:
        if torch.compile is watched:
            torch.compile = compile_one
            tape.guarded("before compiling", work)
        return compile_one(*arguments, **named)

    torch.compile = watched
