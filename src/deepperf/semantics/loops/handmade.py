"""Arrays that a function makes, and Python fills item by item in loops within loops.

What is put into them may be numbers of Python's own: it is the filling that takes long.
"""

from __future__ import annotations

import ast
import math

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame
from deepperf.semantics.text import tree

FEW = 1000
"""Items that are soon filled."""


def filled(analysis: Analysis, site: CallSite) -> ast.Name | None:
    """The last use of the array that a call makes, if it is filled so; else None."""
    statement = site.statement
    if not isinstance(statement, ast.Assign) or statement.value is not site.node or site.loops:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or not site.scope.item_writes:
        return None
    writes = {
        id(whole): frames
        for whole, frames in site.scope.item_writes
        if isinstance(whole, ast.Name) and whole.id == target.id
    }
    if not any(_goes_over_many(analysis, frames) for frames in writes.values()):
        return None
    if not has(callgraph.fact_at(analysis, site), Trait.CREATES_ARRAY):
        return None
    uses = [
        part
        for part in tree.walk(site.scope.node)
        if isinstance(part, ast.Name)
        and part.id == target.id
        and isinstance(part.ctx, ast.Load)
        and id(part) not in writes
    ]
    return max(uses, key=lambda use: (use.lineno, use.col_offset), default=None)


def _goes_over_many(analysis: Analysis, frames: tuple[Frame, ...]) -> bool:
    """Whether loops within loops turn around a place, not known to be few turns in all."""
    around = [frame for frame in frames if isinstance(frame.node, ast.For)]
    if len(around) < 2:
        return False
    trips = [loops.trips(analysis, frame) for frame in around]
    known = [count for count in trips if count is not None]
    return len(known) < len(trips) or math.prod(known) > FEW
