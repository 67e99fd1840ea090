"""What decides whether a call of a function runs a part of its body, and how it is run."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable

from msgspec import Struct

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
    if id(site.statement) not in analysis.module_of(site.scope).scopes.choosing:
        return []
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


class Demands(Struct, frozen=True):
    """The parameters that a call must give, or leave at None, for a part of a body to run.

    Of others it must give what is true, or what is not.
    """

    given: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    true: frozenset[str] = frozenset()
    false: frozenset[str] = frozenset()

    @property
    def are_none(self) -> bool:
        return not (self.given or self.absent or self.true or self.false)

    def are_met(self, analysis: Analysis, site: CallSite, target: callgraph.Target) -> bool:
        """Whether the call may meet them: of what it hands on of its own, nothing is known."""
        if self.are_none:
            return True
        passed = callgraph.passed(analysis, site, target)
        given = {name: argument for name, (argument, _) in passed.items()}
        arguments = {**defaults(target.function), **given}
        told = {n: part.value for n, part in arguments.items() if isinstance(part, ast.Constant)}
        named = {name for name in arguments if name not in told or told[name] is not None}
        return (
            self.given <= named
            and self.absent.isdisjoint(named)
            and all(told[name] for name in self.true & told.keys())
            and not any(told[name] for name in self.false & told.keys())
        )


def handed_on(
    analysis: Analysis, inner: Demands, site: CallSite, target: callgraph.Target, region: Region
) -> Demands:
    """What a function must be given, so that a call in it meets the demands of what it calls.

    These are the parameters that it passes on as they are, and what tests around the call ask.
    """
    own = demands(analysis, site, region)
    node = region.scope.node
    if inner.are_none or isinstance(node, (ast.Module, ast.ClassDef)):
        return own
    names = {argument.arg for argument in parameters(node)}
    passed = {
        name: argument.id
        for name, (argument, _) in callgraph.passed(analysis, site, target).items()
        if isinstance(argument, ast.Name)
        and argument.id in names
        and argument.id not in region.bound
        and argument.id not in region.rebound
    }

    def of_outer(wanted: frozenset[str]) -> frozenset[str]:
        return frozenset(passed[name] for name in wanted & passed.keys())

    return Demands(
        own.given | of_outer(inner.given),
        own.absent | of_outer(inner.absent),
        own.true | of_outer(inner.true),
        own.false | of_outer(inner.false),
    )


def defaults(function: Scope) -> dict[str, ast.expr]:
    """What a function's parameters are where a call gives nothing for them."""
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return {}
    listed = [*node.args.posonlyargs, *node.args.args]
    optional = listed[len(listed) - len(node.args.defaults) :]
    found = {a.arg: d for a, d in zip(optional, node.args.defaults, strict=True)}
    by_name = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return found | {a.arg: d for a, d in by_name if d is not None}


def demands(analysis: Analysis, site: CallSite, region: Region) -> Demands:
    """What tests around the call, and before it, ask of the function's parameters."""
    node = region.scope.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return Demands()
    names = {argument.arg for argument in parameters(node)}
    asked: dict[_Kind, set[str]] = {kind: set() for kind in _Kind}
    tests = [
        (frame.node.test, frame.branch) for frame in site.frames if isinstance(frame.node, ast.If)
    ]
    tests += choices(analysis, site)
    for statement in getattr(node, "body", ()) if not isinstance(node, ast.Lambda) else ():
        if statement.lineno >= site.node.lineno:
            break
        is_before = (statement.end_lineno or 0) < site.node.lineno
        if is_before and isinstance(statement, ast.If) and isinstance(statement.body[-1], _LEAVING):
            tests.append((statement.test, Branch.ELSE))
    bound = region.bound.keys() | region.rebound.keys()
    for test, taken in tests:
        name, kind = _asked(test, taken)
        # What is bound anew before is no longer what the call gave.
        if name in names and (kind in _OF_NONE or name not in bound):
            asked[kind].add(name)
    found = {kind: frozenset(of_kind) for kind, of_kind in asked.items()}
    return Demands(found[_Kind.GIVEN], found[_Kind.ABSENT], found[_Kind.TRUE], found[_Kind.FALSE])


class _Kind(enum.Enum):
    GIVEN = "given"
    ABSENT = "absent"
    TRUE = "true"
    FALSE = "false"


_OF_NONE = (_Kind.GIVEN, _Kind.ABSENT)
_LEAVING = (ast.Return, ast.Raise)


def _asked(test: ast.expr, taken: Branch) -> tuple[str, _Kind]:
    """The name of which a test asks something, "" for others; and what that is."""
    is_held = taken is Branch.BODY
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asked(test.operand, Branch.ELSE if is_held else Branch.BODY)
    if isinstance(test, ast.Name):
        return test.id, _Kind.TRUE if is_held else _Kind.FALSE
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and isinstance(test.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
    ):
        is_none = isinstance(test.ops[0], (ast.Is, ast.Eq))
        return test.left.id, _Kind.ABSENT if is_none is is_held else _Kind.GIVEN
    return "", _Kind.TRUE
