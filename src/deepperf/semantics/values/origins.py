"""Which calls the data come from that an expression holds: backwards, through what keeps them.

Data are kept by names, attributes, items, arithmetic, methods of theirs, functions of the
project, and functions of libraries that are given them. What comes out of it is what *may*
have brought the data; nothing is said of what they hold.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.sizes import array_shapes
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import External, FunctionTerm, Method, ModuleTerm, Object

Place: TypeAlias = tuple[ast.expr, Scope, tuple[int, ...]]
MOST_PLACES = 240
MOST_DEFINITIONS = 6
ANY = -1
"""In the way to a part: whichever element it is."""


def origins(analysis: Analysis, node: ast.expr, scope: Scope) -> tuple[tuple[ast.Call, Scope], ...]:
    """The calls that the data of an expression went through or came from, nearest first."""
    return analysis.remember(("origins", node), lambda: tuple(_walk(analysis, node, scope)), ())


def _walk(analysis: Analysis, node: ast.expr, scope: Scope) -> Iterator[tuple[ast.Call, Scope]]:
    seen: set[tuple[int, tuple[int, ...]]] = set()
    waiting: list[Place] = [(node, scope, ())]
    while waiting and len(seen) < MOST_PLACES:
        current, at, path = waiting.pop(0)
        if (id(current), path) in seen:
            continue
        seen.add((id(current), path))
        if isinstance(current, ast.Call):
            yield current, at
        waiting.extend(_before(analysis, current, at, path))


def _before(
    analysis: Analysis, node: ast.expr, scope: Scope, path: tuple[int, ...]
) -> Iterator[Place]:
    """Where the data of an expression come from; `path` is the part of it that is wanted."""
    if isinstance(node, ast.Name):
        for definition in values.definitions_of(analysis, node, scope)[:MOST_DEFINITIONS]:
            yield from _of_definition(analysis, definition, path)
    elif isinstance(node, ast.Attribute):
        yield from _of_attribute(analysis, node, scope, path)
    elif isinstance(node, ast.Call):
        yield from _of_call(analysis, node, scope, path)
    elif isinstance(node, (ast.Tuple, ast.List)):
        if path and ANY < path[0] < len(node.elts):
            yield node.elts[path[0]], scope, path[1:]
        else:
            yield from ((element, scope, path[1:]) for element in node.elts[:8])
    elif isinstance(node, ast.BinOp):
        yield from ((part, scope, ()) for part in (node.left, node.right))
    elif isinstance(node, ast.Subscript):
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        is_item = isinstance(index, int) and index >= 0
        yield node.value, scope, (index, *path) if is_item and isinstance(index, int) else ()
    elif isinstance(node, (ast.UnaryOp, ast.Starred, ast.NamedExpr)):
        yield (node.operand if isinstance(node, ast.UnaryOp) else node.value), scope, path
    elif isinstance(node, ast.IfExp):
        yield from ((part, scope, path) for part in (node.body, node.orelse))
    elif isinstance(node, ast.Dict):
        yield from ((value, scope, ()) for value in node.values[:8])
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        yield node.elt, scope, ()


def _of_definition(
    analysis: Analysis, definition: Definition, path: tuple[int, ...]
) -> Iterator[Place]:
    scope, value = definition.scope, definition.value
    if definition.binding is Binding.PARAMETER:
        with analysis.going_up() as may_go_up:
            if may_go_up:
                for node, at in callers.arguments_for(analysis, scope, definition.name)[:4]:
                    yield node, at, path
                for node, at, place in _spread(analysis, scope, definition.name)[:4]:
                    yield node, at, (place, *path)
        return
    if value is None:
        return
    if definition.binding in (Binding.ASSIGNED, Binding.ENTERED):
        yield value, scope, (*definition.unpacking, *path)
        if not definition.unpacking and isinstance(value, ast.List) and not value.elts:
            for element, at in _appended(analysis, definition):
                yield element, at, path[1:]
    elif definition.binding is Binding.ITERATED:
        yield value, scope, (ANY, *definition.unpacking, *path)
    elif definition.binding is Binding.AUGMENTED:
        for part in _added_up(analysis, definition):
            if part.binding is not Binding.AUGMENTED:
                yield from _of_definition(analysis, part, path)
            elif part.value is not None:
                yield part.value, scope, ()


def _spread(analysis: Analysis, function: Scope, name: str) -> list[tuple[ast.expr, Scope, int]]:
    """What calls unpack into a parameter with `*`, and which element of it that is."""
    found = []
    for site in callers.callers(analysis, function):
        stars = [isinstance(argument, ast.Starred) for argument in site.node.args]
        # Behind another `*` the places are not known.
        if stars.count(True) != 1:
            continue
        first = stars.index(True)
        starred = site.node.args[first]
        for target in callgraph.targets(analysis, site):
            place = _positional(function, target.shift).get(name, -1) - first
            if target.function is function and place >= 0 and isinstance(starred, ast.Starred):
                found.append((starred.value, site.scope, place))
    return found


def _positional(function: Scope, shift: int) -> dict[str, int]:
    """The places of a function's parameters among what a call gives without names."""
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return {}
    listed = [*node.args.posonlyargs, *node.args.args][shift:]
    return {argument.arg: place for place, argument in enumerate(listed)}


def _appended(analysis: Analysis, made: Definition) -> Iterator[tuple[ast.expr, Scope]]:
    """What the file appends to a list, in other functions too where a module has it."""
    module = analysis.module_of(made.scope)
    for site in module.calls_named("append")[:MOST_PLACES]:
        function = site.node.func
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
            continue
        name = function.value
        if name.id != made.name or len(site.node.args) != 1:
            continue
        if made in values.definitions_of(analysis, name, site.scope):
            yield site.node.args[0], site.scope


def _added_up(analysis: Analysis, definition: Definition) -> list[Definition]:
    """An augmented assignment, those before it, perhaps in a loop, and what they began with."""
    uses = analysis.module_of(definition.scope).flow(definition.scope).uses
    found = [definition]
    for one in found:
        if one.binding is Binding.AUGMENTED and isinstance(one.node, ast.AugAssign):
            earlier = uses.get(id(one.node), ())[:MOST_DEFINITIONS]
            found.extend(part for part in earlier if part not in found)
    return found


def _of_attribute(
    analysis: Analysis, node: ast.Attribute, scope: Scope, path: tuple[int, ...]
) -> Iterator[Place]:
    for term in values.evaluate(analysis, node.value, scope):
        if isinstance(term, Object):
            for write in classes.attribute_writes(analysis, term.cls, node.attr)[:4]:
                if write.value is not None:
                    yield write.value, write.scope, (*write.unpacking, *path)
        elif not isinstance(term, (External, ModuleTerm)):
            yield node.value, scope, ()


def _of_call(
    analysis: Analysis, node: ast.Call, scope: Scope, path: tuple[int, ...]
) -> Iterator[Place]:
    if path and path[0] != ANY and array_shapes.splits(node):
        if path[0] // 2 < len(node.args):
            yield node.args[path[0] // 2], scope, ()
        return
    held = values.evaluate(analysis, node.func, scope)
    functions = [_function(term) for term in held]
    known = [function for function in functions if function is not None]
    for function in known[:2]:
        analysis.module_of(function)
        # What a generator gives is a part at a time, and never the whole.
        for returned in function.returns[:4]:
            yield returned, function, path
    if known:
        return
    if isinstance(node.func, ast.Attribute) and not any(
        isinstance(term, (External, ModuleTerm)) for term in held
    ):
        yield node.func.value, scope, ()
    given = tree.arguments(node)
    for argument in given[:4]:
        if not isinstance(argument, (ast.Constant, ast.Lambda)):
            yield argument, scope, ()


def _function(term: object) -> Scope | None:
    if isinstance(term, FunctionTerm):
        return term.scope
    if isinstance(term, Method) and isinstance(term.function, FunctionTerm):
        return term.function.scope
    return None
