"""By which names else an object is reached: what is written to by one name, the others show."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph, effects, newness
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition, Definitions
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import (
    ClassTerm,
    External,
    FunctionTerm,
    Instance,
    Literal,
    ModuleTerm,
    Term,
)

_MOST = 12
"""References after which an object is followed no further."""
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict)
_HANDING_ON = frozenset(("enumerate", "iter", "reversed", "zip"))
_OF_DICTS = frozenset(("items", "values"))
SAME = members.VIEW_ATTRIBUTES | {"__dict__", "data", "flat"}
"""Attributes that lead to what the object holds itself."""

_IMMUTABLE = (
    "tensorflow.Tensor",
    "tensorflow.SparseTensor",
    "tensorflow.RaggedTensor",
    "tensorflow.data.Dataset",
    "jax.Array",
    "builtins.int",
    "builtins.float",
    "builtins.str",
    "builtins.bytes",
    "builtins.bool",
    "builtins.tuple",
    "builtins.frozenset",
    "builtins.range",
)


def shown(analysis: Analysis, node: ast.expr, scope: Scope) -> frozenset[Chain]:
    """The references of `scope` that lead to the object of an expression, or to what it views.

    Of `flat`, after `flat = table.reshape(-1)`, these are `flat` and `table`; of `row`, in
    `for row in table`, too.
    """
    return analysis.remember(
        ("shown", node), lambda: frozenset(_shown(analysis, node, scope)), frozenset()
    )


def _shown(analysis: Analysis, node: ast.expr, scope: Scope) -> set[Chain]:
    found: set[Chain] = set()
    pending: list[tuple[ast.expr, Chain]] = [(node, ())]
    while pending and len(found) < _MOST:
        part, read = pending.pop()
        for reference in _handed_on(analysis, part, scope):
            chain = tree.chain_of(reference)
            assert chain is not None
            whole = _without_views((*chain, *(read if reference is part else ())))
            if whole in found:
                continue
            found.add(whole)
            root = tree.owner_of(reference)
            assert isinstance(root, ast.Name)
            for definition in values.definitions_of(analysis, root, scope):
                value = _given(definition) if definition.scope is scope else None
                if value is not None:
                    pending.append((value, whole[1:]))
    return found


def are_apart(analysis: Analysis, one: ast.expr, other: ast.expr, scope: Scope) -> bool:
    """Whether two references surely lead to different objects, be it by the same name.

    After `x = x.copy()` the name leads to another object than before.
    """
    roots = [root_of(part) for part in (one, other)]
    bindings = [() if root is None else sources(analysis, root, scope) for root in roots]
    return all(bindings) and frozenset(bindings[0]).isdisjoint(bindings[1])


def may_be_given(analysis: Analysis, node: ast.expr, name: str, scope: Scope) -> bool:
    """Whether a reference may lead to what a function is given for its parameter `name`."""
    if len(analysis.module_of(scope).flow(scope).all.get(name, ())) < 2:
        return True
    root = root_of(node)
    found = () if root is None else sources(analysis, root, scope)
    return not found or any(d.binding is Binding.PARAMETER and d.name == name for d in found)


def sources(analysis: Analysis, name: ast.Name, scope: Scope) -> frozenset[Definition]:
    """The bindings by which the object that a name leads to there may be held; none if unknown."""
    return analysis.remember(
        ("sources", name), lambda: _sources(analysis, name, scope), frozenset()
    )


def _sources(analysis: Analysis, name: ast.Name, scope: Scope) -> frozenset[Definition]:
    return held_by(analysis, values.definitions_of(analysis, name, scope), scope)


def held_by(analysis: Analysis, bindings: Definitions, scope: Scope) -> frozenset[Definition]:
    """The bindings by which the objects that some hold may be held, too; none if unknown."""
    found: set[Definition] = set()
    pending = [*bindings]
    while pending:
        definition = pending.pop()
        if definition in found:
            continue
        found.add(definition)
        if len(found) > _MOST:
            return frozenset()
        if definition.scope is scope:
            pending += _held_before(analysis, definition, scope)
    return frozenset(found)


def _held_before(analysis: Analysis, definition: Definition, scope: Scope) -> Iterator[Definition]:
    """The bindings that may have held an object before this one does."""
    if definition.binding is Binding.AUGMENTED:
        yield from analysis.module_of(scope).flow(scope).uses.get(id(definition.node), ())
    if definition.value is None or newness.is_new(analysis, definition):
        return
    value = _given(definition)
    handed = [] if value is None else list(_handed_on(analysis, value, scope))
    roots = [root for one in handed if (root := root_of(one)) is not None]
    # What an unknown function makes of it may be the same, changed.
    roots += [
        part
        for part in tree.walk(definition.value)
        if isinstance(part, ast.Name) and part.id == definition.name
    ]
    for root in roots:
        yield from values.definitions_of(analysis, root, scope)


def root_of(node: ast.expr) -> ast.Name | None:
    """The name that a reference begins with, through items too."""
    root = tree.owner_of(node)
    while isinstance(root, (ast.Subscript, ast.Starred)):
        root = tree.owner_of(root.value)
    return root if isinstance(root, ast.Name) else None


def _without_views(chain: Chain) -> Chain:
    while len(chain) > 1 and chain[-1] in SAME:
        chain = chain[:-1]
    return chain


def _given(definition: Definition) -> ast.expr | None:
    """What a name was bound to, or an element of it; a list that is new is nothing else's."""
    value = definition.value
    if definition.binding is Binding.ITERATED:
        return value
    if definition.binding is not Binding.ASSIGNED:
        return None
    for place in definition.unpacking:
        if isinstance(value, (ast.Tuple, ast.List)) and place < len(value.elts):
            value = value.elts[place]
    # What tells of an object's place or type is none of its parts.
    is_of_kind = isinstance(value, ast.Attribute) and value.attr in members.KIND_ATTRIBUTES
    return None if is_of_kind or isinstance(value, _DISPLAYS) else value


def _handed_on(analysis: Analysis, node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """The references that an expression hands on as they are, in parts, or as views."""
    pending = [node]
    while pending:
        part = pending.pop()
        if tree.chain_of(part) is not None:
            yield part
        elif isinstance(part, (ast.Subscript, ast.Starred, ast.Attribute, ast.NamedExpr)):
            pending.append(part.value)
        elif isinstance(part, (*_DISPLAYS, ast.BoolOp)):
            pending += [one for one in tree.children(part) if isinstance(one, ast.expr)]
        elif isinstance(part, ast.IfExp):
            pending += [part.body, part.orelse]
        elif isinstance(part, ast.Call):
            pending += _passed_on(analysis, part, scope)


def _passed_on(analysis: Analysis, call: ast.Call, scope: Scope) -> list[ast.expr]:
    """What a call gives back, the elements or a view of it."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if owner is None and last_name(call.func) in _HANDING_ON:
        return call.args
    if owner is not None and last_name(call.func) in _OF_DICTS and not call.args:
        return [owner]
    return viewed_by(analysis, call, scope)


def viewed_by(analysis: Analysis, call: ast.Call, scope: Scope) -> list[ast.expr]:
    """What a call gives a view of."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not _gives_view(analysis, call, scope):
        return []
    held = values.evaluate(analysis, owner, scope) if owner is not None else ()
    is_module = bool(held) and all(isinstance(term, External) for term in held)
    return [owner] if owner is not None and not is_module else call.args[:1]


def _gives_view(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    held = values.evaluate(analysis, call.func, scope)
    if callgraph.external_names(held):
        return has(callgraph.fact_of(analysis, held), Trait.VIEWS)
    # Of whatever it is a method: what gives views goes by these names.
    views = analysis.project.trigger_names(frozenset((Trait.VIEWS,)))
    return isinstance(call.func, ast.Attribute) and call.func.attr in views


def is_immutable(analysis: Analysis, term: Term) -> bool:
    """Whether nothing can change it: what is added to it gives something new."""
    if isinstance(term, (Literal, External, FunctionTerm, ClassTerm, ModuleTerm)):
        return True
    if not isinstance(term, Instance) or effects.is_variable(analysis, term):
        return False
    return any(name in _IMMUTABLE for name in analysis.knowledge.ancestry(term.type))
