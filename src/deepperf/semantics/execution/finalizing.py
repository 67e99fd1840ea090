"""Whether a graph is closed before a loop turns: what would add to it then is an error."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Frame, last_name


def is_closed_before(analysis: Analysis, loop: Frame) -> bool:
    """Whether the function of a loop finalizes a graph on the way to it."""
    first = getattr(loop.node, "lineno", 0)
    return any(
        site.node.lineno < first
        and all(loop.lines[0] in frame.lines or not _decides(frame) for frame in site.frames)
        and _finalizes(analysis, site)
        for site in loop.scope.calls
    )


def _decides(frame: Frame) -> bool:
    """Whether what stands in a statement may be left out."""
    return not isinstance(frame.node, (ast.With, ast.AsyncWith))


def _finalizes(analysis: Analysis, site: CallSite) -> bool:
    function = site.node.func
    if not isinstance(function, ast.Attribute) or function.attr != "finalize":
        return False
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        return has(fact, Trait.CLOSES_GRAPH)
    return (last_name(function.value) or "").lstrip("_") in ("graph", "get_default_graph")
