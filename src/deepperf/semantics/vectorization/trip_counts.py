"""Trip counts of loops, and what they go over."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.names.scopes import Frame, last_name
from deepperf.semantics.sizes import dimensions, rows
from deepperf.semantics.text import tree


def known_trip_count(analysis: Analysis, loop: Frame) -> int | None:
    """The trip count of a loop, from constants and array shapes; None where it is not known."""
    trips = loops.trips(analysis, loop)
    if trips is not None:
        return trips
    measured = [(part, loop.scope) for part in loops.gone_over(analysis, loop)]
    iterable = loops.iterable_of(loop)
    if isinstance(iterable, ast.Call) and last_name(iterable.func) == "range" and iterable.args:
        end = iterable.args[min(len(iterable.args), 2) - 1]
        measured = [place for place in (dimensions.measured(analysis, end, loop.scope),) if place]
    lengths = (rows.rows(analysis, *place) for place in measured)
    return min((count for count in lengths if count is not None), default=None)


def goes_over_elements(analysis: Analysis, loop: Frame) -> bool:
    """Whether it goes over the elements of an array, along an axis, or over its numbers."""
    if loops.over(analysis, loop) is LoopOver.ELEMENTS:
        return True
    iterable = loops.iterable_of(loop)
    if not isinstance(iterable, ast.Call):
        return False
    if last_name(iterable.func) == "range":
        bounds = (part for given in iterable.args for part in tree.walk(given))
        return any(isinstance(part, ast.Attribute) and part.attr == "shape" for part in bounds)
    readers = analysis.project.knowledge.method_names((Trait.READS_NUMBERS,))
    return isinstance(iterable.func, ast.Attribute) and iterable.func.attr in readers
