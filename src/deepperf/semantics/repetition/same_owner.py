"""Whether one object is asked in all turns, where its class decides which function is run."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import passing, steady
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.invariance.steadiness import NOTHING, Needs
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names import scopes
from deepperf.semantics.names.scopes import CallSite
from deepperf.semantics.text import tree
from deepperf.semantics.writes import attributes


def of_choice(analysis: Analysis, owner: ast.expr | None, region: Region) -> Needs | None:
    """What a function must be given as the same object in each turn; None where it may be others.

    That is a parameter, or what one keeps: what becomes of its parts makes no difference.
    """
    if owner is None:
        return NOTHING
    chain, node = tree.chain_of(owner), region.scope.node
    if chain is None or isinstance(node, (ast.Module, ast.ClassDef)):
        return None
    given = {one.arg for one in scopes.parameters(node)}
    if chain[0] not in given - region.bound.keys() - region.rebound.keys():
        return None
    if any(attributes.rebinds(analysis, name, region) for name in chain[1:]):
        return None
    return frozenset((chain,))


def handed_on(
    analysis: Analysis, objects: Needs, site: CallSite, target: callgraph.Target, region: Region
) -> Needs | None:
    """The same, of what a function that a call runs must be given."""
    if not objects:
        return NOTHING
    given = passing.read_at_call(analysis, objects, site, target)
    found = [of_choice(analysis, one, region) for one in given or ()]
    known = [one for one in found if one is not None]
    return frozenset().union(*known) if given and len(known) == len(found) else None


def are_same(
    analysis: Analysis, objects: Needs, site: CallSite, target: callgraph.Target, region: Region
) -> bool:
    """Whether the turns of a loop give a function the same objects."""
    if not objects:
        return True
    given = passing.read_at_call(analysis, objects, site, target)
    return bool(given) and all(
        steady.same_object(analysis, one, region) is Certainty.YES for one in given or ()
    )
