"""What decides whether a call of a function runs a part of its body, and how it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import regions
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, Scope, parameters
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import ClassTerm, FunctionTerm


def runs_as_written(analysis: Analysis, function: Scope) -> bool:
    """Whether calling the function runs its body: nothing remembers or compiles it."""
    for node, fact in contexts.decorations(analysis, function):
        if getattr(node, "id", "") in ("staticmethod", "classmethod", "property"):
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


def tests_of(frames: Iterable[Frame]) -> list[ast.expr]:
    """What the statements around a call ask before they run it, in the order of their nesting."""
    found: list[ast.expr] = []
    for frame in frames:
        if isinstance(frame.node, ast.If):
            found.append(frame.node.test)
        elif isinstance(frame.node, ast.Match):
            found.append(frame.node.subject)
    return found


def choices(analysis: Analysis, site: CallSite) -> list[tuple[ast.expr, Branch]]:
    """What decides within its statement that a call is run: `y`, of `f(x) if y` and `y or f(x)`."""
    node: ast.AST = tree.written(site.node)
    around = analysis.parents_in(site.scope)
    found: list[tuple[ast.expr, Branch]] = []
    while isinstance(outer := around.get(id(node)), ast.expr):
        if isinstance(outer, ast.IfExp) and node is not outer.test:
            found.append((outer.test, Branch.BODY if node is outer.body else Branch.ELSE))
        elif isinstance(outer, ast.BoolOp):
            branch = Branch.BODY if isinstance(outer.op, ast.And) else Branch.ELSE
            place = next(n for n, value in enumerate(outer.values) if value is node)
            found += [(value, branch) for value in outer.values[:place]]
        node = outer
    return found


def conditions(analysis: Analysis, site: CallSite, region: Region) -> list[ast.expr] | None:
    """What decides that a function runs the call: conditions around it, returns before it."""
    tests = tests_of(site.frames)
    tests += [test for test, _ in choices(analysis, site)]
    for statement in _returning(analysis, region.scope):
        if max(statement.lineno, statement.end_lineno or 0) >= site.node.lineno:
            break
        if not isinstance(statement, ast.If):
            return None
        tests.append(statement.test)
    return tests


def _returning(analysis: Analysis, function: Scope) -> tuple[ast.stmt, ...]:
    """The statements of a function's body that hold a return."""

    def find() -> tuple[ast.stmt, ...]:
        body = () if isinstance(function.node, ast.Lambda) else function.node.body
        return tuple(
            statement
            for statement in body
            if any(isinstance(part, ast.Return) for part in tree.walk(statement))
        )

    return analysis.reuse(("returning", function), find)


@dataclass(frozen=True, slots=True)
class Demands:
    """The parameters that a call must give, or leave at None, for a part of a body to run."""

    given: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()

    def are_met(self, call: ast.Call, target: callgraph.Target) -> bool:
        if not self.given and not self.absent:
            return True
        arguments = {**_defaults(target.function), **callgraph.bound_arguments(call, target)}
        named = {
            name
            for name, argument in arguments.items()
            if not (isinstance(argument, ast.Constant) and argument.value is None)
        }
        return self.given <= named and self.absent.isdisjoint(named)


def _defaults(function: Scope) -> dict[str, ast.expr]:
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return {}
    listed = [*node.args.posonlyargs, *node.args.args]
    optional = listed[len(listed) - len(node.args.defaults) :]
    found = {a.arg: d for a, d in zip(optional, node.args.defaults, strict=True)}
    by_name = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return found | {a.arg: d for a, d in by_name if d is not None}


def demands(site: CallSite, region: Region) -> Demands:
    """What tests for None around the call, and before it, ask of the function's parameters."""
    node = region.scope.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return Demands()
    names = {argument.arg for argument in parameters(node)}
    given: set[str] = set()
    absent: set[str] = set()
    tests = [
        (frame.node.test, frame.branch is Branch.BODY)
        for frame in site.frames
        if isinstance(frame.node, ast.If)
    ]
    for statement in getattr(node, "body", ()) if not isinstance(node, ast.Lambda) else ():
        if statement.lineno >= site.node.lineno:
            break
        is_before = (statement.end_lineno or 0) < site.node.lineno
        if is_before and isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVING):
            tests.append((statement.test, False))
    for test, holds in tests:
        name, is_none = _none_test(test)
        if name in names:
            (absent if is_none is holds else given).add(name)
    return Demands(frozenset(given), frozenset(absent))


_LEAVING = (ast.Return, ast.Raise)


def _none_test(test: ast.expr) -> tuple[str, bool]:
    """The name that a test compares with None, "" for others; and whether it asks for None."""
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and isinstance(test.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
    ):
        return test.left.id, isinstance(test.ops[0], (ast.Is, ast.Eq))
    return "", False
