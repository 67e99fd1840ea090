"""Whether what a call gives is only written down to be looked at, which is done now and then."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, ScopeKind
from deepperf.semantics.text import tree


def is_summarized(analysis: Analysis, site: CallSite) -> bool:
    """Whether a summary is given it, or all that calls of its function give."""
    if _is_given(analysis, site):
        return True
    if site.scope.kind is not ScopeKind.FUNCTION or site.node not in site.scope.returns:
        return False
    asking = callers.callers(analysis, site.scope)
    return bool(asking) and all(_is_given(analysis, one) for one in asking)


def _is_given(analysis: Analysis, site: CallSite) -> bool:
    return any(
        other.statement is site.statement
        and other is not site
        and has(callgraph.fact_at(analysis, other), Trait.SUMMARIZES)
        and any(part is site.node for part in tree.walk(other.node))
        for other in site.scope.calls
    )
