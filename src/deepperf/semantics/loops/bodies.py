"""What decides whether a call of a function runs a part of its body, and how it is run."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import regions
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names.scopes import Branch, CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import ClassTerm, FunctionTerm


def runs_as_written(analysis: Analysis, function: Scope) -> bool:
    """Whether calling the function runs its body: nothing remembers or compiles it."""
    for node, fact in contexts.decorations(analysis, function):
        if getattr(node, "id", "") in ("staticmethod", "classmethod"):
            continue
        if fact is None or not fact.traits.isdisjoint(
            (Trait.MEMOIZES, Trait.COMPILES, Trait.WRAPS_FUNCTION)
        ):
            return False
    return True


def makes_functions(analysis: Analysis, function: Scope) -> bool:
    """Whether it gives functions, as factories of layers do: called as often as they are wanted."""
    parts: list[ast.expr] = []
    for node in function.returns:
        parts.extend(node.elts if isinstance(node, ast.Tuple) else [node])
    return any(
        isinstance(term, (FunctionTerm, ClassTerm))
        for part in parts
        if isinstance(part, ast.Lambda)
        or (isinstance(part, ast.Name) and _may_be_function(analysis, part.id, function))
        for term in values.evaluate(analysis, part, function)
    )


def _may_be_function(analysis: Analysis, name: str, function: Scope) -> bool:
    """Whether what a function gives by this name is, by its text, one defined in it or around."""
    if name not in function.bound or any(child.name == name for child in function.children):
        return True
    value = regions.region_of_function(analysis, function).bound.get(name)
    return isinstance(value, (ast.Name, ast.Attribute, ast.IfExp, ast.Lambda))


def is_late(site: CallSite) -> bool:
    """Whether it stands where a function comes to only when something failed."""
    return any(frame.branch in (Branch.HANDLER, Branch.FINALLY) for frame in site.frames)


def conditions(site: CallSite, region: Region) -> list[ast.expr] | None:
    """What decides that a function runs the call: conditions around it, returns before it."""
    tests = [frame.node.test for frame in site.frames if isinstance(frame.node, ast.If)]
    node = region.scope.node
    for statement in getattr(node, "body", ()) if not isinstance(node, ast.Lambda) else ():
        if statement.lineno >= site.node.lineno or (
            statement.end_lineno is not None and statement.end_lineno >= site.node.lineno
        ):
            break
        if not any(isinstance(part, ast.Return) for part in tree.walk(statement)):
            continue
        if not isinstance(statement, ast.If):
            return None
        tests.append(statement.test)
    return tests
