"""Which datasets an option is attached to that changes how their maps run."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.data import pipelines
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite

_MOST_STEPS = 48
_ATTACHES = frozenset((Trait.SETS_DATASET_OPTIONS,))
_PAIRS = frozenset((Trait.PAIRS_DATASETS,))


def is_set_for(analysis: Analysis, site: CallSite, trait: Trait, usual: object) -> bool:
    """Whether what a call gives may come with an option that has the trait, and is not as usual.

    Options hold for all of a pipeline, before and behind the call that attaches them, and for what
    is paired with it. Where a file sets one and does not show which datasets get it, all may.
    """
    home = site.scope.module_path
    for name in sorted(analysis.project.trigger_names(frozenset((trait,)))):
        analysis.asked.add(name)
        for path in sorted({home, *analysis.project.naming(name)}):
            if _sets(analysis, path, name, usual) and _is_attached(analysis, path, site):
                return True
    return False


def _is_attached(analysis: Analysis, path: str, site: CallSite) -> bool:
    """Whether a file that sets options may attach them to the dataset that a call gives."""
    attaching = _attaching(analysis, path)
    reached = _before(analysis, attaching)
    own = _before(analysis, (site,))
    if reached is None or own is None:
        return path == site.scope.module_path
    joined = {site, *pipelines.joining(analysis, site.scope)}
    if not own.isdisjoint(attaching) or not joined.isdisjoint(reached):
        return True
    # What pairs datasets takes on the options of each, for all of them.
    paired = (
        _before(analysis, (pair,))
        for home in sorted({path, site.scope.module_path})
        for pair in callgraph.sites_with(analysis, home, _PAIRS)
    )
    return any(
        whole is not None and not whole.isdisjoint(attaching) and not whole.isdisjoint(joined)
        for whole in paired
    )


def _attaching(analysis: Analysis, path: str) -> tuple[CallSite, ...]:
    """The calls of a file that attach options."""
    nothing: tuple[CallSite, ...] = ()
    return analysis.remember(
        ("attaching", path), lambda: tuple(callgraph.sites_with(analysis, path, _ATTACHES)), nothing
    )


def _sets(analysis: Analysis, path: str, name: str, usual: object) -> bool:
    """Whether a file sets an attribute so called to something other than it is anyway."""

    def find() -> bool:
        analysis.touched.add(path)
        return any(
            write.attribute == name
            and not (isinstance(write.value, ast.Constant) and write.value.value in (None, usual))
            for scope in analysis.module(path).all_scopes
            for write in scope.attribute_writes
        )

    return analysis.remember(("sets", path, name, usual), find, otherwise=False)


def _before(analysis: Analysis, last: tuple[CallSite, ...]) -> frozenset[CallSite] | None:
    """The calls of the pipelines that lead to some; None where they are not all known."""

    def find() -> frozenset[CallSite] | None:
        pending, found = list(last), set(last)
        while pending:
            step = pending.pop()
            fact = callgraph.fact_at(analysis, pipelines.applied(analysis, step))
            if has(fact, Trait.CREATES_DATASET) and not has(fact, Trait.PAIRS_DATASETS):
                continue
            before = [maker for maker, _ in pipelines.sources(analysis, step)]
            is_known = bool(before) and pipelines.are_sources_known(analysis, step)
            if not is_known or len(found) > _MOST_STEPS:
                return None
            pending += (maker for maker in before if maker not in found)
            found.update(before)
        return frozenset(found) or None

    return analysis.remember(("pipelines before", last), find, None)
