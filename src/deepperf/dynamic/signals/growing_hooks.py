"""Hooks are added to the same PyTorch module or tensor again and again, and none is taken off."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable
from types import CodeType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, share_within, told_at
from deepperf.dynamic.frameworks.torch_compiling import replace_until_compiling
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "growing-hooks"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("increasing-time", "memory-leak")
EXPLAINS_GROWTH = True
MANY = 32
"""Hooks of one kind at one module: those of a program that wants several things are a handful."""
HOOKS = {
    "torch.nn.modules.module": (
        "Module",
        {
            "register_forward_hook": "_forward_hooks",
            "register_forward_pre_hook": "_forward_pre_hooks",
            "register_full_backward_hook": "_backward_hooks",
            "register_full_backward_pre_hook": "_backward_pre_hooks",
        },
    ),
    "torch._tensor": ("Tensor", {"register_hook": "_backward_hooks"}),
}
"""What adds hooks, and where PyTorch keeps them."""


def watch(tape: Tape) -> None:
    """Count the hooks that are there when one is added."""
    for home, (name, methods) in HOOKS.items():
        tape.imports.after(home, functools.partial(_watch, tape, name, methods))


def _watch(tape: Tape, name: str, methods: dict[str, str], module: Any) -> None:
    # `torch.Tensor` is the class that is made of what its module has.
    cls: Any = getattr(module, name, None) or sys.modules["torch"].Tensor
    for method, kept in methods.items():
        _wrap(tape, cls, method, kept)


def _wrap(tape: Tape, cls: Any, method: str, kept: str) -> None:
    add = getattr(cls, method, None)
    if add is None:
        return

    @standing_for(add)
    def added(self: Any, hook: Any, *arguments: Any, **named: Any) -> Any:
        handle = add(self, hook, *arguments, **named)
        count = len(getattr(self, kept, None) or ())
        if count >= MANY and tape.active:
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: _note(tape, type(self).__name__, hook, count, frame))
        return handle

    replace_until_compiling(tape, cls, method, added)


def _note(tape: Tape, owner: str, hook: Any, count: int, frame: Any) -> None:
    place = tape.code.place(frame)
    if place is None:
        return
    tape.note(NAME, place)
    detail = tape.detail(NAME, place)
    detail["most"] = max(detail.get("most", 0), count)
    detail["owner"] = owner
    while isinstance(hook, functools.partial):
        hook = hook.func
    code = getattr(hook, "__code__", None)
    if isinstance(code, CodeType) and tape.code.path_of(code.co_filename):
        lines = [line for _, _, line in code.co_lines() if line]
        detail["code"] = [tape.code.path_of(code.co_filename), min(lines), max(lines)]


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that add one more hook each time they are reached."""
    for seen in trace.observations:
        if seen.kind == NAME:
            yield _diagnosis(trace, seen)


def _diagnosis(trace: Trace, seen: Observation) -> Diagnosis:
    most = seen.detail["most"]
    share = 0.0
    if "code" in seen.detail:
        file, first, last = seen.detail["code"]
        # One would do, where on average half of those that are there at the end have run.
        share = share_within(trace, file, range(first, last + 1)) * (1.0 - 2.0 / most)
    return told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"a `{seen.detail['owner']}` gets another hook each time, and none is removed",
        evidence=f"{most:,} hooks of one kind at once; every one runs at each call",
        remedy=("register the hook once, before the loop, or remove it with `handle.remove()`"),
        weight=Weight.TIME if share else Weight.HINT,
        share=share,
    )
