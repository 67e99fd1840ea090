"""Which arguments of a call are rows of arrays that a loop goes over, and which stay the same."""

from __future__ import annotations

from deepperf.semantics.query import Call, Dependence, Kind, Loop, LoopKind, Value

_OTHERS = frozenset((LoopKind.EPOCH, LoopKind.BATCH, LoopKind.LAYER, LoopKind.FEW))
_OTHERS |= frozenset((LoopKind.PARAMETER,))


def axes_of(call: Call, loop: Loop) -> str:
    """The axes, as `vmap` takes them, of a call that an iteration makes for a row and keeps.

    "" where it does anything else.
    """
    around = next(iter(call.loops), None)
    if around != loop or loop.kind in _OTHERS or loop.is_short or call.is_conditional(loop):
        return ""
    if call.keywords or call.passes_unseen or not call.result.is_kept_by(loop):
        return ""
    axes = [_axis(given, loop) for given in call.arguments]
    if "0" not in axes or "" in axes:
        return ""
    return "0" if set(axes) == {"0"} else f"({', '.join(axes)})"


def _axis(given: Value, loop: Loop) -> str:
    if given.dependence(loop) is Dependence.INVARIANT:
        return "None"
    return "0" if _is_row(given, loop) else ""


def _is_row(given: Value, loop: Loop) -> bool:
    """Whether it is what a loop over an array is given, or what lies at its counter."""
    if given == loop.element:
        return bool(loop.iterable.is_array)
    if given.kind is not Kind.ITEM:
        return False
    whole, index = given.operands
    is_whole = whole.dependence(loop) is Dependence.INVARIANT and bool(whole.is_array)
    return is_whole and index == loop.element
