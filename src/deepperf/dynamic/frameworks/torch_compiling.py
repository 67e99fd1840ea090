"""Keeps recording out of what a program compiles with PyTorch."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

COMPILERS = {
    "torch": ("compile",),
    "torch.jit": ("trace", "trace_module"),
    "torch.export": ("export",),
    "torch.onnx": ("export",),
}


WORKS = "_deepperf_works"
"""Where the module of optimizers keeps what is done after their steps: one hook costs least."""


def before_compiling(tape: Tape, work: Callable[[], None]) -> None:
    """Do `work` when the program first compiles, traces or exports a model: modes and hooks that
    are there meanwhile would become a part of what is made of it."""
    for home, names in COMPILERS.items():
        tape.imports.after(home, functools.partial(_watch, tape, names, work))


def replace_until_compiling(tape: Tape, home: Any, name: str, other: Any) -> None:
    """Put `other` in an attribute's place until the program first compiles; what somebody else has
    put there meanwhile stays."""
    own = getattr(home, name)

    def restore() -> None:
        if getattr(home, name) is other:
            setattr(home, name, own)

    setattr(home, name, other)
    before_compiling(tape, restore)


def _watch(tape: Tape, names: tuple[str, ...], work: Callable[[], None], module: Any) -> None:
    for name in names:
        _wrap(tape, module, name, work)


def _wrap(tape: Tape, module: Any, name: str, work: Callable[[], None]) -> None:
    compile_one = getattr(module, name, None)
    if compile_one is None:
        return

    @standing_for(compile_one)
    def watched(*arguments: Any, **named: Any) -> Any:
        if getattr(module, name) is watched:
            setattr(module, name, compile_one)
        tape.guarded("before compiling", work)
        return compile_one(*arguments, **named)

    setattr(module, name, watched)


def after_optimizer_steps(tape: Tape, work: Callable[[Any], None]) -> None:
    """Do `work` with each optimizer that has stepped, unless the step is being compiled.

    It must be cheap, and never raise.
    """
    # Earlier there is no telling whether something is being compiled.
    tape.imports.after("torch", lambda torch: _hook(tape, torch, work))


def before_optimizer_steps(tape: Tape, work: Callable[[Any, Any, Any], None]) -> None:
    """Do `work` with each optimizer that is about to step, and with the arguments of that, those
    with names apart; for the rest the same."""
    tape.imports.after("torch", lambda torch: _hook_before(torch, work))


def _hook_before(torch: Any, work: Callable[[Any, Any, Any], None]) -> None:
    is_compiling: Any = getattr(torch.compiler, "is_compiling", lambda: False)

    def begun(optimizer: Any, arguments: Any, named: Any) -> None:
        if not is_compiling():
            work(optimizer, arguments, named)

    sys.modules["torch.optim.optimizer"].register_optimizer_step_pre_hook(begun)


def _hook(tape: Tape, torch: Any, work: Callable[[Any], None]) -> None:
    home: Any = sys.modules["torch.optim.optimizer"]
    others: list[Callable[[Any], None]] | None = getattr(home, WORKS, None)
    if others is not None:
        others.append(work)
        return
    works = [work]
    setattr(home, WORKS, works)
    is_compiling: Any = getattr(torch.compiler, "is_compiling", lambda: False)

    def ended(optimizer: Any, *_: Any) -> None:
        # PyTorch compiles hooks together with what calls them, again for each change of what they
        # look at: there this must be nothing.
        if is_compiling():
            return
        begin = tape.hooks.begin()
        for one in works:
            one(optimizer)
        if begin:
            tape.hooks.end(begin)

    home.register_optimizer_step_post_hook(ended)


def leave_out(tape: Tape) -> None:
    """Have PyTorch compile none of our functions, where they are called between its graphs."""
    tape.imports.after("torch._dynamo.trace_rules", _skip_ours)


def _skip_ours(rules: Any) -> None:
    # What it meets while it traces a function of the user's is still traced: refusing that would
    # break the graph. Our hooks are nothing then.
    home = f"{Path(__file__).parents[2].as_posix()}/"
    inlined = getattr(rules, "BUILTIN_INLINE_WHEN_CALLED", None)
    if inlined is not None:  # from 2.12 on
        rules.BUILTIN_INLINE_WHEN_CALLED = (*inlined, home)
    rules.add("deepperf")
