"""Which method it is that is called on something unknown, where its name or the call tells."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import ParameterRole
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope


def method(analysis: Analysis, node: ast.Attribute, scope: Scope) -> str | None:
    """The full name of the method; None where several types have one so called."""
    known = analysis.knowledge
    by_name = known.telling.get(node.attr)
    if by_name is not None:
        return by_name
    name = known.parallel.get(node.attr)
    return name if name and id(node) in _told_parallel(analysis, name, scope) else None


def _told_parallel(analysis: Analysis, name: str, scope: Scope) -> frozenset[int]:
    """The ids of the callees of a module that are given by name how parallel they are."""

    def find() -> frozenset[int]:
        fact = analysis.knowledge.fact(name)
        role = ParameterRole.PARALLELISM
        names = {one.name for one in fact.parameters if one.role is role} if fact else ()
        return frozenset(
            id(site.node.func)
            for site in analysis.module_of(scope).calls_of({name.rpartition(".")[2]})
            if any(keyword.arg in names for keyword in site.node.keywords)
        )

    return analysis.remember(("told parallel", name, scope.module_path), find, frozenset())
