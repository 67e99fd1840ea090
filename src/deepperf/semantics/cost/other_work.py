"""What else the iterations of a loop do, beside which a small operation may cost nothing."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, reach
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import intervals, loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name

_WAITS = frozenset((Trait.WAITS,))
_A_PERSON = frozenset((Trait.ASKS_PERSON,))
_LONG = frozenset((Trait.TRAINS, Trait.FITS, Trait.STEPS_TRAINING, Trait.RUNS_SESSION))
_LONG |= frozenset((Trait.PREDICTS, Trait.EVALUATES, Trait.LOADS_MODEL))

_PAUSE = {ParameterRole.SECONDS: 0.05, ParameterRole.MILLISECONDS: 50}
"""Shorter waits are felt no more than what else an iteration does."""


def waits(analysis: Analysis, loop: Frame) -> bool:
    """Whether each iteration waits for a person, or, in the loop's own function, for time
    to pass.
    """
    if reach.reached_sites(analysis, loop, _A_PERSON):
        return True
    names = analysis.project.trigger_names(_WAITS)
    return any(
        has(fact := callgraph.fact_at(analysis, site), Trait.WAITS) and not _is_pause(site, fact)
        for site in loops.sites_in(analysis, loop)
        if last_name(site.node.func) in names and not intervals.is_now_and_then(site.frames)
    )


def _is_pause(site: CallSite, fact: Fact) -> bool:
    """Whether it says that it waits but a moment, as a video does between its pictures."""
    for role, shortest in _PAUSE.items():
        length = callgraph.role_argument(site.node, fact, role)
        if isinstance(length, ast.Constant) and isinstance(length.value, (int, float)):
            return 0 < length.value < shortest
    return False


def draws_panel(analysis: Analysis, loop: Frame) -> bool:
    """Whether each iteration draws a panel of a picture, of which there is room for few."""
    return _may_draw(analysis, loop.scope) and any(
        last_name(site.node.func) in members.PANELS
        for site in loops.sites_in(analysis, loop)
        if not any(isinstance(frame.node, ast.If) for frame in site.frames)
    )


def _may_draw(analysis: Analysis, scope: Scope) -> bool:
    return "matplotlib" in analysis.project.sources[scope.module_path].text


def draws_picture(analysis: Analysis, loop: Frame) -> bool:
    """Whether each iteration, in the loop's own function, adds something to a picture."""
    return _may_draw(analysis, loop.scope) and any(
        last_name(site.node.func) in members.DRAWINGS for site in loops.sites_in(analysis, loop)
    )
