"""Whether all that a loop goes over lies on one device, and has numbers of one type."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, passes
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.names.scopes import Frame, last_name
from deepperf.semantics.text import tree

_ALIKE = (LoopOver.BATCHES, LoopOver.ELEMENTS)


def lie_alike(analysis: Analysis, loop: Frame) -> bool:
    """Whether the items are batches of one data set, or rows of one array, as far as is known.

    Models, parameters and placements differ in that, and batches do not: these are unpacked, or
    calculated with.
    """
    over = passes.over(analysis, loop)
    if over is not LoopOver.ITEMS:
        return over in _ALIKE
    target, iterable = getattr(loop.node, "target", None), loops.iterable_of(loop)
    if isinstance(iterable, ast.Call) and last_name(iterable.func) == "enumerate":
        target = target.elts[-1] if isinstance(target, ast.Tuple) and target.elts else None
    elif isinstance(iterable, ast.Call):
        target = target if isinstance(target, ast.Name) else None
    if isinstance(target, ast.Tuple):
        return True
    return isinstance(target, ast.Name) and any(
        getattr(side, "id", None) == target.id
        for part in tree.walk(loop.node)
        if isinstance(part, ast.BinOp)
        for side in (part.left, part.right)
    )
