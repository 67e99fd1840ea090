"""Which loops, by the names in them alone, may hand many operations to a framework."""

from __future__ import annotations

import ast
import builtins
from collections import Counter

from deepperf.knowledge.schema import Trait
from deepperf.semantics.files import outline
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name, parameters
from deepperf.semantics.text import tree

_WORK = frozenset((Trait.COMPUTES, Trait.RANDOM))
_GRADIENTS = frozenset((Trait.RECORDS_GRADIENT, Trait.DIFFERENTIATES))
_VARIABLES = ("tensorflow.Variable", "keras.Variable")
PYTHONS_OWN = frozenset(dir(builtins)).union(*map(dir, (list, dict, set, str)))
_PASSING_ON = frozenset(("copy", "enumerate", "getattr", "iter", "list", "sorted", "tuple"))


def may_pay(analysis: Analysis, loop: Frame, enough: int) -> bool:
    """Whether an iteration may compute gradients, set variables, or hand on what it computes.

    Errs on the side of saying so; asked before it is known what each call is.
    """
    work = analysis.project.trigger_names(_WORK)
    parts = tree.walk(loop.node)
    count = sum(isinstance(part, ast.BinOp) for part in parts)
    sites = []
    for site in loops.sites_in(analysis, loop):
        name = last_name(site.node.func)
        is_known = name in PYTHONS_OWN or _is_of_import(analysis, site)
        if not is_known or (name not in PYTHONS_OWN and _is_of_project(analysis, site)):
            # It may be a layer, or a function that does any of this.
            count += enough
            sites.append(site)
        else:
            count += name in work
    names = {last_name(part.func) for part in parts if isinstance(part, ast.Call)}
    # A gradient is many operations by itself.
    if not names.isdisjoint(analysis.project.trigger_names(_GRADIENTS)):
        return True
    if count < enough:
        return False
    if _may_hand_on(analysis, loop, parts):
        return True
    wanted = _changing(analysis)
    return not wanted.isdisjoint(names) or any(
        not _is_of_project(analysis, site) or outline.may_call(analysis, site, wanted)
        for site in sites
    )


def may_be_over_batches(loop: Frame) -> bool:
    """Whether a loop may go over a dataset or a loader, by the text of what it goes over."""
    iterable = loops.iterable_of(loop)
    if isinstance(iterable, ast.Call):
        name = last_name(iterable.func)
        return name not in PYTHONS_OWN or name in _PASSING_ON
    return isinstance(iterable, (ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.BoolOp))


def _is_of_project(analysis: Analysis, site: CallSite) -> bool:
    name = last_name(site.node.func)
    return name is not None and outline.is_defined(analysis, site.scope.module_path, name)


def _is_of_import(analysis: Analysis, site: CallSite) -> bool:
    """Whether something from outside the project is called, or a function of it."""
    return outline.root_name(site.node.func) in _imported_names(analysis, site)


def _imported_names(analysis: Analysis, site: CallSite) -> frozenset[str]:
    path = site.scope.module_path
    nothing: frozenset[str] = frozenset()
    return analysis.remember(("imported", path), lambda: _imported(analysis, path), nothing)


def _imported(analysis: Analysis, path: str) -> frozenset[str]:
    found: set[str] = set()
    for statement in set(analysis.module(path).scopes.imports.values()):
        for alias in statement.names:
            dotted = alias.name
            if isinstance(statement, ast.ImportFrom):
                dotted = "." * statement.level + (statement.module or "")
            if analysis.project.find(dotted, path) is None:
                found.add((alias.asname or alias.name).partition(".")[0])
    return frozenset(found)


def _changing(analysis: Analysis) -> frozenset[str]:
    """The names of what computes gradients or sets variables."""

    def find() -> frozenset[str]:
        setting = analysis.project.trigger_names(frozenset((Trait.WRITES_STATE,)))
        return analysis.project.trigger_names(_GRADIENTS) | {
            name
            for name in setting
            if any(analysis.knowledge.fact(f"{of}.{name}") is not None for of in _VARIABLES)
        }

    return analysis.project.named("changing", find)


def _may_hand_on(analysis: Analysis, loop: Frame, parts: list[ast.AST]) -> bool:
    """Whether an iteration reads a name that it binds as well, and that is bound before
    the loop.
    """
    read: set[str] = set()
    bound: Counter[str] = Counter()
    for part in parts:
        if isinstance(part, ast.Name):
            if isinstance(part.ctx, ast.Load):
                read.add(part.id)
            else:
                bound[part.id] += 1
        elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            read.add(part.target.id)
    both = read.intersection(bound)
    if not both:
        return False
    scope = loop.scope
    nothing: Counter[str] = Counter()
    everywhere = analysis.remember(("bindings", scope), lambda: _bindings(scope), nothing)
    return any(everywhere[name] > bound[name] or name in scope.outer_names for name in both)


def _bindings(scope: Scope) -> Counter[str]:
    """How often each name is bound in a scope, by parameters and assignments."""
    found = Counter(
        part.id
        for part in tree.walk(scope.node)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
    )
    if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        found.update(argument.arg for argument in parameters(scope.node))
    return found
