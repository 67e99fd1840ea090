"""Classes of the project: their bases, methods and the attributes set on their objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from deepperf.knowledge import members
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.module import Module
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import AttributeWrite, Scope, ScopeKind
from deepperf.semantics.text.tree import Getter, Setter
from deepperf.semantics.values import elements, fields, heirs, values
from deepperf.semantics.values.terms import (
    ClassTerm,
    External,
    FunctionTerm,
    Instance,
    Method,
    Object,
    Term,
    Value,
    union,
)


def ancestors(analysis: Analysis, cls: Scope) -> tuple[Scope | str, ...]:
    """The class and all it inherits from, nearest first; external bases by name."""
    key = ("ancestors", cls)
    known: tuple[Scope | str, ...] | None = analysis.answered(key)  # one question in three
    if known is not None:
        return known
    return analysis.remember(key, lambda: _ancestors(analysis, cls), (cls,))


def _ancestors(analysis: Analysis, cls: Scope) -> tuple[Scope | str, ...]:
    found: dict[Scope | str, None] = {cls: None}
    assert isinstance(cls.node, ast.ClassDef)
    assert cls.parent is not None
    for base in cls.node.bases:
        for term in values.evaluate(analysis, base, cls.parent):
            if isinstance(term, ClassTerm):
                found.update(dict.fromkeys(ancestors(analysis, term.scope)))
            elif isinstance(term, External):
                names = analysis.knowledge.ancestry(term.name)
                found.update(dict.fromkeys(names))
    return tuple(found)


def inherits(analysis: Analysis, cls: Scope, base: str) -> bool:
    """Whether the class inherits from the external class `base`."""
    return base in ancestors(analysis, cls)


def enclosing_class(function: Scope) -> Scope | None:
    """The class whose method the function is."""
    parent = function.parent
    return parent if parent is not None and parent.kind is ScopeKind.CLASS else None


def receiver_name(function: Scope) -> str | None:
    """The name of a method's first parameter; None for static methods and all else in a class."""
    node = function.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    if enclosing_class(function) is None:
        return None
    if node.decorator_list and "staticmethod" in decorator_names(node):
        return None
    listed = node.args.posonlyargs or node.args.args
    return listed[0].arg if listed else None


def decorator_names(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The last names of a function's decorators, as written."""
    found = set()
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = getattr(target, "attr", None) or getattr(target, "id", None)
        if name is not None:
            found.add(name)
    return found


def methods_of(cls: Scope) -> dict[str, Scope]:
    """The functions defined in the class body, by name; the last of a name counts."""
    return {
        child.name: child
        for child in cls.children
        if child.kind is ScopeKind.FUNCTION and child.name != "<lambda>"
    }


def method_of(analysis: Analysis, cls: Scope, name: str) -> Scope | str | None:
    """The method that objects of the class have: the project's, or an external one's name."""
    for ancestor in ancestors(analysis, cls):
        if isinstance(ancestor, str):
            external = analysis.knowledge.method(ancestor, name)
            if external is not None:
                return external
        else:
            found = _method(ancestor, name)
            if found is not None:
                return found
    return None


def _method(cls: Scope, name: str) -> Scope | None:
    """The function of a name that a class body defines last; of a property the one that reads."""
    for child in reversed(cls.children):
        is_function = child.kind is ScopeKind.FUNCTION and name != "<lambda>"
        if child.name == name and is_function and not sets_property(child):
            return child
    return None


def attribute_writes(analysis: Analysis, cls: Scope, name: str) -> tuple[AttributeWrite, ...]:
    """Where methods of the class and its project bases set `self.name`."""
    found: list[AttributeWrite] = []
    for ancestor in ancestors(analysis, cls):
        if isinstance(ancestor, str):
            continue
        module = analysis.module_of(ancestor)
        writes = module.writes.get(ancestor)
        if writes is None:
            writes = module.writes[ancestor] = _writes_of(module, ancestor)
        here = writes.get(name)
        if here is not None:
            found += here
    return tuple(found)


def _writes_of(module: Module, cls: Scope) -> dict[str, list[AttributeWrite]]:
    """The writes to attributes of `self` in the class's methods, by attribute."""
    found: dict[str, list[AttributeWrite]] = {}
    may_register = not members.REGISTRATIONS.isdisjoint(module.called_names)
    for child in cls.children:
        if child.kind is ScopeKind.FUNCTION:
            receiver = receiver_name(child)
            for scope in child.walk():
                registered = _registered(scope) if may_register else ()
                for write in (*scope.attribute_writes, *registered):
                    if write.base == receiver:
                        found.setdefault(write.attribute, []).append(write)
    return found


def _registered(scope: Scope) -> Iterator[AttributeWrite]:
    """What modules of PyTorch are given by a method: `self.register_buffer("name", value)`."""
    for site in scope.calls:
        function, given = site.node.func, site.node.args
        if (
            isinstance(function, ast.Attribute)
            and function.attr in members.REGISTRATIONS
            and isinstance(function.value, ast.Name)
            and len(given) > 1
            and isinstance(given[0], ast.Constant)
            and isinstance(given[0].value, str)
        ):
            named = given[0].value
            yield AttributeWrite(function.value.id, named, given[1], (), scope, site.frames)


def class_attribute(
    analysis: Analysis, cls: Scope, name: str, receiver: Object | ClassTerm
) -> Value:
    """What `receiver.name` may hold, for an object of the class or the class itself."""
    if isinstance(receiver, ClassTerm):
        key = ("class attribute", cls, name, receiver)
        return analysis.reuse(key, lambda: _class_attribute(analysis, cls, name, receiver))
    # Objects that different calls make differ in what their methods are taken from, and only there.
    held = analysis.reuse(
        ("attribute", cls, name),
        lambda: _class_attribute(analysis, cls, name, Object(cls, _ANY_CALL)),
    )
    if not any(_is_of_any(term) for term in held):
        return held
    own = [Method(t.function, receiver) if _is_of_any(t) else t for t in held]
    return tuple(dict.fromkeys(own))


_ANY_CALL = ast.Name("<any>")
"""Stands for the call that made an object, while it is found out what all objects have."""


def _is_of_any(term: Term) -> TypeGuard[Method]:
    return (
        isinstance(term, Method)
        and isinstance(term.receiver, Object)
        and term.receiver.site is _ANY_CALL
    )


def _class_attribute(
    analysis: Analysis, cls: Scope, name: str, receiver: Object | ClassTerm
) -> Value:
    found: list[Value] = []
    for write in attribute_writes(analysis, cls, name):
        if write.value is not None:
            held = values.evaluate(analysis, write.value, write.scope)
            found.append(elements.unpack(analysis, held, write.unpacking))
    for ancestor in ancestors(analysis, cls):
        if isinstance(ancestor, str):
            external = analysis.knowledge.method(ancestor, name)
            if external is not None:
                found.append((Method(External(external), receiver),))
                break
            continue
        module = analysis.module_of(ancestor)
        # Its flow is found only where it binds the name.
        definitions = module.flow(ancestor).exit.get(name) if name in ancestor.bound else None
        if definitions:
            for definition in definitions:
                if definition.binding is Binding.FUNCTION:
                    function = values.scope_of(analysis, definition)
                    if sets_property(function):
                        function = _method(ancestor, name) or function
                    found.append(_method_value(analysis, function, receiver))
                else:
                    found.append(values.definition_value(analysis, definition))
            break
    if isinstance(receiver, Object):
        found.append(fields.given(analysis, cls, name))
    if isinstance(receiver, Object) and all(_is_left_open(term) for v in found for term in v):
        # A base class calls what only its subclasses define.
        found = [
            value
            for heir in (*heirs.heirs(analysis, cls), *heirs.heirs_elsewhere(analysis, cls))
            if (value := _of_heir(analysis, heir, name, receiver))
        ] or found
    return union(*found) if found else ()


def _is_left_open(term: Term) -> bool:
    """Whether it is a method that says only that subclasses define it."""
    function = term.function if isinstance(term, Method) else None
    if not isinstance(function, FunctionTerm):
        return False
    node = function.scope.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    last = node.body[-1]
    raised = last.exc if isinstance(last, ast.Raise) else None
    error = raised.func if isinstance(raised, ast.Call) else raised
    # Some raise an error of their own; what does nothing else is left open as well.
    is_open = getattr(error, "id", None) == "NotImplementedError" or (
        raised is not None and len(node.body) == 1 + (ast.get_docstring(node) is not None)
    )
    is_empty = isinstance(last, ast.Pass) or (
        isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)
    )
    return len(node.body) <= 2 and (
        is_open or (is_empty and "abstractmethod" in decorator_names(node))
    )


def is_replaced(analysis: Analysis, cls: Scope, name: str, held: Value) -> bool:
    """Whether the constructor puts in the place of a method what calling that method gave.

    What only wraps the method runs it still.
    """
    return any(
        isinstance(term, Method)
        and isinstance(term.function, FunctionTerm)
        and term.function.scope.name == name
        for term in held
    ) and any(
        write.scope.name == "__init__" and _calls(write.value, name)
        for write in attribute_writes(analysis, cls, name)
    )


def _calls(value: ast.expr | None, name: str) -> bool:
    """Whether a value is made by calling a method of this name."""
    function = value.func if isinstance(value, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == name


def _of_heir(analysis: Analysis, heir: Scope, name: str, receiver: Object) -> Value:
    """What an heir says of an attribute; a class may seem to be an heir of its own."""
    nothing: Value = ()
    return analysis.remember(
        ("of heir", heir, name, receiver),
        lambda: class_attribute(analysis, heir, name, receiver),
        nothing,
    )


def homes_of_bases(analysis: Analysis, cls: Scope) -> tuple[str, ...]:
    """The other modules with classes that a class inherits from, nearest first."""
    own = cls.module_path
    above = (base for base in ancestors(analysis, cls) if isinstance(base, Scope))
    homes = dict.fromkeys(base.module_path for base in above if base.module_path != own)
    return tuple(homes)


def is_of_own_object(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression reads an attribute of the object whose method is around it."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    outer = _method_around(scope)
    return outer is not None and receiver_name(outer) == node.value.id


def class_around(scope: Scope) -> Scope | None:
    """The class in whose method a scope is, or a function in one."""
    outer = _method_around(scope)
    return None if outer is None else enclosing_class(outer)


def _method_around(scope: Scope) -> Scope | None:
    outer: Scope | None = scope
    while outer is not None and enclosing_class(outer) is None:
        outer = outer.parent
    return outer


def overriding(analysis: Analysis, method: Scope) -> tuple[Scope, ...]:
    """The methods that run in place of one in objects of the classes that inherit from its own."""
    cls = enclosing_class(method)
    below = heirs.descendants_anywhere(analysis, cls) if cls is not None else ()
    own = (methods_of(heir).get(method.name) for heir in below)
    return tuple(one for one in own if one is not None)


def is_property(function: Scope) -> bool:
    """Whether reading an attribute of an object runs the function, each time."""
    node = function.node
    return (
        isinstance(node, ast.FunctionDef)
        and bool(node.decorator_list)
        and enclosing_class(function) is not None
        and "property" in decorator_names(node)
    )


def sets_property(function: Scope) -> bool:
    """Whether assigning to an attribute of an object runs the function, each time."""
    node = function.node
    return (
        isinstance(node, ast.FunctionDef)
        and bool(node.decorator_list)
        and enclosing_class(function) is not None
        and any(getattr(part, "attr", None) == "setter" for part in node.decorator_list)
    )


def accessors(analysis: Analysis, held: Value, node: Getter | Setter) -> Value:
    """The methods that reading or setting an attribute runs: of objects that have a property."""
    find = _getter if isinstance(node, Getter) else _setter
    found: dict[Method, None] = {}
    for term in held:
        if isinstance(term, Object):
            function = find(analysis, term.cls, node.attr)
            if function is not None:
                found[Method(FunctionTerm(function), term)] = None
    return tuple(found)


def _getter(analysis: Analysis, cls: Scope, name: str) -> Scope | None:
    found = method_of(analysis, cls, name)
    return found if isinstance(found, Scope) and is_property(found) else None


def _setter(analysis: Analysis, cls: Scope, name: str) -> Scope | None:
    for ancestor in ancestors(analysis, cls):
        for child in ancestor.children if isinstance(ancestor, Scope) else ():
            if child.name == name and sets_property(child):
                return child
    return None


def _method_value(analysis: Analysis, function: Scope, receiver: Object | ClassTerm) -> Value:
    node = function.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    decorators = decorator_names(node)
    if decorators & {"property", "cached_property", "lazy_property"}:
        return values.returned(analysis, function)
    if "staticmethod" in decorators:
        return (FunctionTerm(function),)
    if isinstance(receiver, ClassTerm) and "classmethod" not in decorators:
        return (FunctionTerm(function),)
    return (Method(FunctionTerm(function), receiver),)


def instance_type(analysis: Analysis, term: Instance | Object) -> tuple[str, ...]:
    """The external types that an object is of, nearest first."""
    if isinstance(term, Instance):
        return analysis.knowledge.ancestry(term.type) if term.type else ()
    return tuple(name for name in ancestors(analysis, term.cls) if isinstance(name, str))
