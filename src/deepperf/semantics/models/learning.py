"""What training changes: steps of optimizers, and which operands they leave alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import may_call
from deepperf.semantics.loops.regions import Region, last_name, sites_of
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import (
    FunctionTerm,
    Method,
    Value,
)
from deepperf.semantics.writes.harmless import WRITING, harmless_names

_OPTIMIZER = "torch.optim.Optimizer"

_GRADIENT = "gradient"
"""The method of tapes that is given, after the loss, what is to be trained."""


def learns(analysis: Analysis, region: Region) -> bool:
    """Whether the region may change parameters of a model: a step of an optimizer, say."""

    def find() -> bool:
        return any(_learns_at(analysis, site) for site in sites_of(region))

    return analysis.remember(("learns", region.scope, region.loop), find, otherwise=False)


def trains(region: Region, chain: Chain) -> bool:
    """Whether the region takes gradients of what a chain leads to, which a step then changes."""
    return any(
        last_name(access.site) == _GRADIENT
        and any(
            tree.chain_of(part) == chain
            for source in access.site.node.args[1:]
            for part in getattr(source, "elts", [source])
        )
        for access in region.accesses.get(chain[0], ())
    )


def _learns_at(analysis: Analysis, site: CallSite) -> bool:
    name = last_name(site)
    if name in learning_names(analysis):
        # Modules have methods that arrays have, too, where they change nothing: `float`, `to`.
        held = callgraph.callee(analysis, site)
        fact = callgraph.fact_of(analysis, held)
        if fact is not None or not _is_own(held):
            return fact is None or not WRITING.isdisjoint(fact.traits)
    elif name in harmless_names(analysis) or name in members.CHANGES:
        return False
    return may_call(analysis, site, learning_names(analysis))


def _is_own(held: Value) -> bool:
    """Whether a call is known to run functions of the project, and nothing else."""
    return bool(held) and all(
        isinstance(term.function if isinstance(term, Method) else term, FunctionTerm)
        for term in held
    )


def learning_names(analysis: Analysis) -> frozenset[str]:
    """The last names of what may change parameters, those apart that mostly mean other things.

    Drawing random numbers writes to a generator only.
    """

    def find() -> frozenset[str]:
        writing: set[str] = set()
        stepping: set[str] = set()
        harmless: set[str] = set()
        for name, fact in analysis.knowledge.facts.items():
            last = name.rpartition(".")[2]
            if WRITING.isdisjoint(fact.traits):
                harmless.add(last)
            elif fact.framework in ("python", "numpy") or name.endswith("_"):
                continue
            elif Trait.STEPS_TRAINING in fact.traits:
                stepping.add(last)
            elif Trait.RANDOM not in fact.traits:
                writing.add(last)
        return frozenset((writing - harmless) | stepping)

    return analysis.project.named("learning", find)


def is_optimized(analysis: Analysis, chain: Chain, scope: Scope) -> bool:
    """Whether an optimizer is made, in the same file, for a list of tensors with this one in it."""
    path, nothing = scope.module_path, frozenset[Chain]()
    return chain in analysis.remember(
        ("optimized", path), lambda: frozenset(_listed(analysis, path)), nothing
    )


def _listed(analysis: Analysis, path: str) -> Iterator[Chain]:
    makers = analysis.project.named("optimizers", lambda: _optimizers(analysis))
    for name in sorted(makers):
        for site in analysis.module(path).calls_named(name):
            given = tree.argument(site.node, 0, "params")
            if given is None or not _makes_optimizer(analysis, site):
                continue
            for part in tree.walk(given):
                if isinstance(part, (ast.List, ast.Tuple)):
                    yield from (chain for one in part.elts if (chain := tree.chain_of(one)))


def _optimizers(analysis: Analysis) -> frozenset[str]:
    knowledge = analysis.knowledge
    return knowledge.last_names({t for t in knowledge.types if knowledge.is_subtype(t, _OPTIMIZER)})


def _makes_optimizer(analysis: Analysis, site: CallSite) -> bool:
    names = callgraph.external_names(values.evaluate(analysis, site.node.func, site.scope))
    return any(analysis.knowledge.is_subtype(name, _OPTIMIZER) for name in names)
