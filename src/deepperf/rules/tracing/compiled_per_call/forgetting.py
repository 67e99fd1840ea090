"""Loops in which a program has a compiler forget what it compiled, and needs it again."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Call, Function, Loop

_DEEPEST = 4


def forgetting(loop: Loop) -> tuple[Call, ...]:
    """The calls by which each iteration has a compiler forget all that it compiled before; () for
    none, and where the iteration compiles something of its own.
    """
    if loop.is_comprehension or loop.is_short:
        return ()
    path = loop.reaches(Trait.FORGETS_COMPILED)
    if not path or any(call.guard(loop).is_rare for call in path):
        return ()
    if loop.reaches(Trait.COMPILES):
        return ()
    return path if any(_runs_compiled(call, 0) for call in loop.calls()) else ()


def _runs_compiled(call: Call, depth: int) -> bool:
    return any(_is_compiled(function, depth) for function in call.runs)


def _is_compiled(function: Function, depth: int) -> bool:
    if function.compiled_itself is not None:
        return True
    return depth < _DEEPEST and any(_runs_compiled(one, depth + 1) for one in function.calls())
