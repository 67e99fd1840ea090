"""Of what a piece of code takes gradients."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.regions import Region, last_name, sites_of
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance


def names_variables(analysis: Analysis, region: Region) -> bool:
    """Whether all gradients that a region takes are those of variables it names, of no model."""
    taken = [site for site in sites_of(region) if last_name(site) == "gradient"]
    return bool(taken) and all(
        len(site.node.args) > 1
        and all(
            _are_variables(analysis, one, site.scope)
            for one in getattr(site.node.args[1], "elts", site.node.args[1:2])
        )
        for site in taken
    )


def _are_variables(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    held = values.evaluate(analysis, node, scope)
    return bool(held) and all(
        isinstance(term, Instance) and effects.is_variable(analysis, term) for term in held
    )
