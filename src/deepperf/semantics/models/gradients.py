"""Of what a piece of code takes gradients."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph, effects, reach
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.regions import Region, last_name, sites_of
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Argument, Instance, Unknown

_TAKING = frozenset((Trait.STEPS_TRAINING,))


def names_variables(analysis: Analysis, region: Region) -> bool:
    """Whether all gradients that a region takes are those of variables it names, of no model.

    So are those that functions take which it calls.
    """
    taken = [
        found
        for site in sites_of(region)
        for found in (
            site,
            *(
                inner
                for target in callgraph.targets(analysis, site)
                for inner in reach.sites_of(analysis, target.function, _TAKING)
            ),
        )
        if last_name(found) == "gradient"
    ]
    return bool(taken) and all(
        len(site.node.args) > 1
        and all(
            _are_variables(analysis, one, site.scope)
            for one in getattr(site.node.args[1], "elts", site.node.args[1:2])
        )
        for site in taken
    )


def _are_variables(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    # What callers pass is taken to be like what is known of it.
    held = values.evaluate(analysis, node, scope)
    known = [term for term in held if not isinstance(term, (Argument, Unknown))]
    return bool(known) and all(
        isinstance(term, Instance) and effects.is_variable(analysis, term) for term in known
    )
