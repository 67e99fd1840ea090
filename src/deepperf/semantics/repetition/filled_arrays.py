"""Arrays that a function makes, and Python fills item by item, or row by row.

What is put into them in loops within loops may be numbers of Python's own: it is the filling that
takes long. What is put into rows is computed by a framework.
"""

from __future__ import annotations

import ast
import math

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text import tree

FEW = 1000
"""Items that are soon filled."""
FEW_ROWS = 32
"""Rows that are soon computed."""


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
    if not any(
        _goes_over_many(analysis, frames) or _computes_rows(analysis, site.scope, place, frames)
        for place, frames in writes.items()
    ):
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


def _computes_rows(analysis: Analysis, scope: Scope, place: int, frames: tuple[Frame, ...]) -> bool:
    """Whether a loop, not known to be of few turns, computes what it puts there."""
    around = [frame for frame in frames if isinstance(frame.node, ast.For)]
    if len(around) != 1:
        return False
    trips = loops.trips(analysis, around[0])
    if trips is not None and trips < FEW_ROWS:
        return False
    parents = analysis.parents_in(scope)
    statement = parents.get(id(parents.get(place)))
    if not isinstance(statement, ast.Assign):
        return False
    return any(
        has(callgraph.fact_of_call(analysis, part, scope), Trait.COMPUTES)
        for part in tree.walk(statement.value)
        if isinstance(part, ast.Call)
    )


def _goes_over_many(analysis: Analysis, frames: tuple[Frame, ...]) -> bool:
    """Whether loops within loops turn around a place, not known to be few turns in all."""
    around = [frame for frame in frames if isinstance(frame.node, ast.For)]
    if len(around) < 2:
        return False
    trips = [loops.trips(analysis, frame) for frame in around]
    known = [count for count in trips if count is not None]
    return len(known) < len(trips) or math.prod(known) > FEW
