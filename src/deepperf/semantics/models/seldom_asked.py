"""Whether a loop asks a model so seldom, or beside so much else, that it is hardly felt."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph, reach
from deepperf.semantics.calls.reach import Path
from deepperf.semantics.cost import other_work
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import intervals, loops
from deepperf.semantics.names.scopes import CallSite, Frame, last_name
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance

_LEARNING = frozenset((Trait.FITS, Trait.STEPS_TRAINING))
_ASKING = frozenset((Trait.PREDICTS,))
_PARSED = "argparse.Namespace"
_FEW = 50
"""Known turns that are over within seconds, whatever way a model is asked."""


def is_little(analysis: Analysis, site: CallSite, path: Path) -> bool:
    """Whether few iterations ask, or each of them waits, shows a picture, or asks far more
    besides.
    """
    loop, way = path
    if any(intervals.is_now_and_then(one.frames) for one in (*way, site)):
        return True
    if _is_once(analysis, loop) and (loops.trips(analysis, loop) or _FEW + 1) <= _FEW:
        return True
    if other_work.waits(analysis, loop) or _is_of_names_typed(analysis, loop):
        return True
    return _is_shown(analysis, loop) or _asks_more(analysis, site)


def _is_of_names_typed(analysis: Analysis, loop: Frame) -> bool:
    """Whether it goes over what somebody named on the command line: nobody names thousands."""
    iterable = loops.iterable_of(loop)
    if isinstance(iterable, ast.Attribute):
        return any(
            isinstance(term, Instance) and term.type == _PARSED
            for term in values.evaluate(analysis, iterable.value, loop.scope)
        )
    if isinstance(iterable, ast.Subscript):
        held = values.evaluate(analysis, iterable.value, loop.scope)
        return callgraph.external_names(held) == ("sys.argv",)
    return False


def _is_once(analysis: Analysis, loop: Frame) -> bool:
    """Whether nothing is known to repeat a loop."""
    around = [frame for frame in reach.frames_around(loop) if frame.is_loop]
    return not around and next(iter(reach.function_loop_paths(analysis, loop.scope)), None) is None


def _is_shown(analysis: Analysis, loop: Frame) -> bool:
    """Whether each iteration shows somebody what goes on, and nothing learns from it."""
    if not any(_shows(analysis, site) for site in loops.sites_in(analysis, loop)):
        return False
    around = [loop, *(frame for frame in reach.frames_around(loop) if frame.is_loop)]
    around += [frame for frame, _ in reach.function_loop_paths(analysis, loop.scope)]
    return not any(reach.reached_sites(analysis, frame, _LEARNING) for frame in around)


def _shows(analysis: Analysis, site: CallSite) -> bool:
    if any(isinstance(frame.node, ast.If) for frame in site.frames):
        return False
    name = last_name(site.node.func)
    if name in members.DRAWINGS:
        return "matplotlib" in analysis.project.sources[site.scope.module_path].text
    # A game that is rendered into an array, or kept, is shown to nobody yet.
    is_alone = getattr(site.statement, "value", None) is site.node
    is_alone = is_alone and isinstance(site.statement, ast.Expr)
    return name == members.RENDERING and is_alone and "array" not in ast.unparse(site.node)


def _asks_more(analysis: Analysis, site: CallSite) -> bool:
    """Whether its function asks a model in a loop of its own, further inside than here."""
    names = analysis.project.trigger_names(_ASKING)
    return any(
        last_name(other.node.func) in names
        and len(other.loops) > len(site.loops)
        and other.loops[: len(site.loops)] == site.loops
        and not loops.is_tiny(analysis, other.loops[-1])
        for other in site.scope.calls
    )
