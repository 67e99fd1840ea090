"""Tells signals when a program first compiles with PyTorch, so that they get out of its way."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from deepperf.dynamic.tape import Tape

COMPILERS = {
    "torch": ("compile",),
    "torch.jit": ("trace", "trace_module"),
    "torch.export": ("export",),
    "torch.onnx": ("export",),
}


def before_compiling(tape: Tape, work: Callable[[], None]) -> None:
    """Do `work` when the program first compiles, traces or exports a model: modes and hooks that
    are there meanwhile would become a part of what is made of it."""
    for home, names in COMPILERS.items():
        tape.imports.after(home, functools.partial(_watch, tape, names, work))


def _watch(tape: Tape, names: tuple[str, ...], work: Callable[[], None], module: Any) -> None:
    for name in names:
        _wrap(tape, module, name, work)


def _wrap(tape: Tape, module: Any, name: str, work: Callable[[], None]) -> None:
    compile_one = getattr(module, name, None)
    if compile_one is None:
        return

    @functools.wraps(compile_one)
    def watched(*arguments: Any, **named: Any) -> Any:
        if getattr(module, name) is watched:
            setattr(module, name, compile_one)
        tape.guarded("before compiling", work)
        return compile_one(*arguments, **named)

    setattr(module, name, watched)
