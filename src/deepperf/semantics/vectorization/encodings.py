"""One-hot arrays and masks that are made for one index after the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction
from deepperf.semantics.loops.induction import Way
from deepperf.semantics.names.scopes import CallSite, ScopeKind
from deepperf.semantics.vectorization import array_writes
from deepperf.semantics.vectorization.array_writes import Setting
from deepperf.semantics.vectorization.collected import collected
from deepperf.semantics.vectorization.updates import Update


def encodings(analysis: Analysis, path: str) -> Iterator[Update]:
    """The calls of a file that make an array for a single index, in loops or mapped functions."""
    yield from _joined(analysis, path)
    yield from _mapped(analysis, path)


def _joined(analysis: Analysis, path: str) -> Iterator[Update]:
    """Calls that make the mask of a single index, joined to the masks of all."""
    for found in collected(analysis, path):
        node, scope = found.element, found.scope
        if scope.module_path != path or not isinstance(node, ast.Call) or not node.args:
            continue
        fact = callgraph.fact_of_call(analysis, node, scope)
        if not has(fact, Trait.MARKS_INDICES):
            continue
        turns = induction.turning(scope, found.loops)
        # With a depth of its own in each iteration, no single call makes all of them.
        settings = (*node.args[1:], *(keyword.value for keyword in node.keywords))
        if any(induction.way(analysis, part, turns) is Way.OWN for part in settings):
            continue
        if induction.way(analysis, node, turns) is Way.OWN:
            yield Update(
                node,
                node.args[0],
                scope,
                found.loops,
                Setting.ENCODES,
                fact.framework,
                copies=False,
                is_table=False,
            )


def _mapped(analysis: Analysis, path: str) -> Iterator[Update]:
    """Masks of single indices that a function makes which is mapped over the indices."""
    module = analysis.module(path)
    wanted = analysis.project.trigger_names(frozenset((Trait.MAPS_ROWS,)))
    if wanted.isdisjoint(module.called_names):
        return
    for scope in module.all_scopes:
        if scope.kind is not ScopeKind.FUNCTION:
            continue
        for mapping, fact in contexts.handed_to(analysis, scope):
            if Trait.MAPS_ROWS in fact.traits:
                for site in scope.calls:
                    if (update := _mask_of_one(analysis, site, mapping)) is not None:
                        yield update
                        break
                break


def _mask_of_one(analysis: Analysis, site: CallSite, mapping: CallSite) -> Update | None:
    """A call that sets one place of an empty array, or makes a one-hot array."""
    fact = callgraph.fact_at(analysis, site)
    node, scope = site.node, site.scope
    if fact is None or not node.args:
        return None
    turns = induction.turning(scope, ())
    index = node.args[0]
    if Trait.SCATTERS in fact.traits and len(node.args) > 2:
        index = node.args[1]
        if array_writes.is_batch(analysis, index, turns):
            # `scatter_nd` takes the indices first, and no array.
            index = node.args[0]
            if array_writes.is_batch(analysis, index, turns):
                return None
        elif induction.way(analysis, node.args[0], turns) is not Way.FIXED:
            return None
    elif Trait.MARKS_INDICES not in fact.traits:
        return None
    if induction.way(analysis, index, turns) is not Way.OWN:
        return None
    return Update(
        node,
        index,
        scope,
        (),
        Setting.ENCODES,
        fact.framework,
        copies=False,
        is_table=False,
        mapping=mapping,
    )
