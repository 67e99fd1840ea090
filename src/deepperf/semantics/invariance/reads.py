"""The names that code reads from the code around it, as data or as objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge import members
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import applications, values
from deepperf.semantics.values.terms import Instance, Literal

_OF_NUMBERS = members.VIEW_ATTRIBUTES | members.SHAPE_ATTRIBUTES | members.REDUCTIONS
_OF_NUMBERS |= members.ARRAY_MEMBERS
_COMPUTING = frozenset((Trait.COMPUTES, Trait.VIEWS, Trait.CREATES_ARRAY, Trait.MAKES_TENSOR))
_COMPUTING |= frozenset((Trait.PURE, Trait.TELLS_SHAPE))
_DATA = (*values.ARRAY_TYPES, "builtins.int", "builtins.float", "builtins.str", "builtins.bool")
_FARTHEST_HANDED = 3


class Use(Struct, frozen=True):
    """A name that the code of `scope` reads: `node` there, `root` what is said of it.

    What it `picks` is an object: `name` of `models[name].fit`.
    """

    name: str
    root: str
    scope: Scope
    node: ast.Name
    as_object: bool
    picks: bool = False


def used(node: ast.expr, scope: Scope, analysis: Analysis, root: str = "") -> Iterator[Use]:
    """The names that an expression in `scope` reads, those in its lambdas included."""
    objects: set[int] = set()
    if isinstance(node, ast.Name):
        objects.add(id(node))
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Lambda):
            inner = analysis.module_of(scope).scopes.by_node.get(id(part))
            if inner is not None:
                yield from free(analysis, inner, root)
            pending.extend(d for d in (*part.args.defaults, *part.args.kw_defaults) if d)
            continue
        if isinstance(part, (ast.Attribute, ast.Subscript)) and applications.kept(analysis, part):
            continue  # it is there before the request
        if isinstance(part, ast.Attribute):
            objects.add(id(part.value))
        elif isinstance(part, ast.Call):
            objects.add(id(part.func))
            objects |= {id(a) for a in part.args[:1] if _is_function_argument(part)}
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield Use(part.id, root or part.id, scope, part, id(part) in objects)
        pending.extend(tree.children(part))


def _is_function_argument(call: ast.Call) -> bool:
    return bool(call.args) and isinstance(call.args[0], ast.Name)


def free(analysis: Analysis, function: Scope, root: str = "") -> Iterator[Use]:
    """The names that a function reads from the code around it.

    An object of which it only reads numbers, by an attribute, is read as data.
    """
    objects: set[int] = set()
    read: dict[int, str] = {}
    for part in tree.walk(function.node):
        if isinstance(part, ast.Call):
            objects.add(id(part.func))
        elif isinstance(part, ast.Attribute):
            objects.add(id(part.value))
            if isinstance(part.value, ast.Name):
                read[id(part.value)] = f"{part.value.id}.{part.attr}"
                if are_numbers(analysis, part, function):
                    objects.discard(id(part.value))
    bound = {name for scope in function.walk() for name in scope.bound}
    decorators = getattr(function.node, "decorator_list", [])
    skipped = {id(part) for decorator in decorators for part in tree.walk(decorator)}
    for part in tree.walk(function.node):
        if not isinstance(part, ast.Name) or not isinstance(part.ctx, ast.Load):
            continue
        if part.id in bound or id(part) in skipped:
            continue
        is_object = id(part) in objects
        said = part.id if is_object else read.get(id(part), part.id)
        yield Use(part.id, root or said, function, part, is_object)


def are_numbers(
    analysis: Analysis, node: ast.expr, function: Scope, deepest: int = _FARTHEST_HANDED
) -> bool:
    """Whether the code of a function takes what an expression gives for numbers: it computes
    with it, or hands it to what does."""
    parents = analysis.parents_in(function)
    part: ast.AST = node
    parent = parents.get(id(part))
    while (isinstance(parent, ast.Attribute) and parent.attr in _OF_NUMBERS) or (
        isinstance(parent, ast.Subscript) and parent.value is part
    ):
        part, parent = parent, parents.get(id(parent))
    if isinstance(parent, ast.Call) and parent.func is part:
        return isinstance(part, ast.Attribute) and part is not node
    if isinstance(parent, ast.keyword):
        part, parent = parent.value, parents.get(id(parent))
    if isinstance(parent, ast.Call):
        return any(argument is part for argument in tree.arguments(parent)) and _computes_with(
            analysis, parent, part, function, deepest
        )
    return isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Compare))


def _computes_with(
    analysis: Analysis, call: ast.Call, argument: ast.AST, function: Scope, deepest: int
) -> bool:
    fact = callgraph.fact_of_call(analysis, call, function)
    if fact is not None:
        taken = callgraph.role_argument(call, fact, ParameterRole.FUNCTION)
        return not fact.traits.isdisjoint(_COMPUTING) and taken is not argument
    site = analysis.site_of(call, function)
    targets = callgraph.targets(analysis, site) if site is not None and deepest else ()
    for target in targets:
        given = callgraph.bound_arguments(call, target)
        names = {name for name, value in given.items() if value is argument}
        reads = [
            part
            for part in tree.walk(target.function.node)
            if isinstance(part, ast.Name) and part.id in names and isinstance(part.ctx, ast.Load)
        ]
        if not names or not all(
            are_numbers(analysis, part, target.function, deepest - 1) for part in reads
        ):
            return False
    return bool(targets)


def is_data(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is known to be an array, a number, a text, or a batch of data."""
    held = values.evaluate(analysis, node, scope)
    return bool(held) and all(
        isinstance(term, Literal)
        or (
            isinstance(term, Instance)
            and not set(_DATA).isdisjoint(analysis.knowledge.ancestry(term.type))
        )
        for term in held
    )
