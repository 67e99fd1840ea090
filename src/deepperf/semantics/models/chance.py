"""Whether what a model or another function gives is drawn at random."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance, Value

_DIFFERING = frozenset((Trait.RANDOM, Trait.PRINTS, Trait.READS_FILE, Trait.TRAINS))
_MODAL = frozenset((Trait.RANDOM, Trait.WRITES_STATE))
_DISTRIBUTIONS = "tensorflow_probability.layers."
_SAMPLING = frozenset(("rsample", "sample"))


def draws(analysis: Analysis, function: Scope) -> bool:
    """Whether what a function gives is drawn, by itself or what it calls; layers apart."""

    def find() -> bool:
        analysis.module_of(function)
        for site in function.calls:
            held = callgraph.callee(analysis, site)
            fact = callgraph.fact_of(analysis, held)
            if fact is not None:
                is_told = any(keyword.arg == "training" for keyword in site.node.keywords)
                if not fact.traits.isdisjoint(_DIFFERING) and not is_told:
                    return True
                continue
            targets = callgraph.targets_of(analysis, held)
            # Distributions, whichever library they come from, are asked for samples.
            if not targets and (
                last_name(site.node.func) in _SAMPLING or _is_of_distributions(analysis, held)
            ):
                return True
            if any(draws(analysis, target.function) for target in targets):
                return True
        return False

    return analysis.remember(("draws at random", function), find, otherwise=False)


def has_no_modes(analysis: Analysis, layer: Instance) -> bool:
    """Whether a layer of a framework does in training what it does when it evaluates."""
    known = analysis.knowledge.type(layer.type)
    return (
        known is not None and Trait.COMPUTES in known.call_traits and not _MODAL & known.call_traits
    )


def _is_of_distributions(analysis: Analysis, held: Value) -> bool:
    """Whether what is called is, or makes, a layer that gives a distribution: it is drawn from."""
    names = list(callgraph.external_names(held))
    for term in held:
        if isinstance(term, Instance) and isinstance(term.site, ast.Call):
            made_by = values.evaluate(analysis, term.site.func, term.scope)
            names += callgraph.external_names(made_by)
    return any(name.startswith(_DISTRIBUTIONS) for name in names)
