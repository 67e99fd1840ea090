"""What a parameter holds: by its place, its annotation, its default, and what callers pass."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import applied, callers, presets, starters
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Definition
from deepperf.semantics.names.scopes import FunctionNode, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, heirs, told_objects, values
from deepperf.semantics.values.terms import (
    MOST_TERMS,
    Argument,
    ClassTerm,
    Display,
    External,
    FunctionTerm,
    Instance,
    Object,
    Term,
    Unknown,
    Value,
    union,
)


def parameter_value(analysis: Analysis, definition: Definition) -> Value:
    function, name = definition.scope, definition.name
    receiver = classes.receiver_name(function)
    cls = classes.enclosing_class(function)
    if name == receiver and cls is not None:
        node = function.node
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if function.name == "__init_subclass__":
            # Python calls it with each class that inherits from its own.
            below = heirs.descendants_anywhere(analysis, cls)[:MOST_TERMS]
            return tuple(ClassTerm(heir) for heir in below) or (ClassTerm(cls),)
        if "classmethod" in classes.decorator_names(node) or name == "cls":
            return (ClassTerm(cls),)
        return (Object(cls),)
    argument = definition.node
    assert isinstance(argument, ast.arg)
    node = function.node
    assert not isinstance(node, (ast.Module, ast.ClassDef))
    if argument is node.args.kwarg:
        return (Argument(function, name),)
    passed: list[Value] = []
    if argument is node.args.vararg:
        return union((Argument(function, name),), *_rest(analysis, function))
    default = default_of(node, name)
    if default is not None and function.parent is not None:
        passed.append(values.evaluate(analysis, default, function.parent))
    with analysis.going_up() as is_asked:
        if is_asked:
            for expression, scope in callers.arguments_for(analysis, function, name):
                passed.append(values.evaluate(analysis, expression, scope))
            passed.append(applied.given(analysis, function, name))
            passed.append(starters.given(analysis, function, name))
            passed.append(presets.given(analysis, function, name))
    said: Value = ()
    if argument.annotation is not None:
        annotated = _annotated(analysis, argument.annotation, function.parent or function)
        # What callers pass says more than an annotation of the same type: where it was made.
        known = {name for value in passed for term in value for name in _types(analysis, term)}
        said = tuple(t for t in annotated if known.isdisjoint(_types(analysis, t)[:1]))
    elif is_asked and all(isinstance(t, (Argument, Unknown)) for one in passed for t in one):
        said = told_objects.objects(analysis, function, name)
    return union((Argument(function, name),), said, *passed)


def _rest(analysis: Analysis, function: Scope) -> list[Value]:
    """What calls give for `*args`, where that is objects or functions of the project."""
    with analysis.going_up() as is_asked:
        return [
            (Display(ast.Tuple(given, ast.Load()), scope),)
            for given, scope in (callers.rest_for(analysis, function) if is_asked else ())
            if any(
                isinstance(term, (FunctionTerm, Object))
                for one in given
                for term in values.evaluate(analysis, one, scope)
            )
        ]


def annotated_value(analysis: Analysis, definition: Definition) -> Value:
    """What the annotation of a parameter says that it holds; nothing where there is none."""
    argument = definition.node
    if not isinstance(argument, ast.arg) or argument.annotation is None:
        return ()
    return _annotated(analysis, argument.annotation, definition.scope.parent or definition.scope)


def _types(analysis: Analysis, term: Term) -> tuple[str, ...]:
    if isinstance(term, (Instance, Object)):
        return classes.instance_type(analysis, term)
    return ()


def default_of(node: FunctionNode, name: str) -> ast.expr | None:
    """What a parameter holds where a call leaves it out; None where it must be given."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    offset = len(positional) - len(arguments.defaults)
    for index, argument in enumerate(positional):
        if argument.arg == name:
            return arguments.defaults[index - offset] if index >= offset else None
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if argument.arg == name:
            return default
    return None


def _annotated(analysis: Analysis, annotation: ast.expr, scope: Scope) -> Value:
    """An object of the class that an annotation names; unions and Optional give several."""
    if isinstance(annotation, ast.Constant):
        if not isinstance(annotation.value, str):
            return ()
        try:
            # Names in the parsed text have no flow of their own; only globals are found.
            parsed = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            return ()
        root = scope
        while root.parent is not None:
            root = root.parent
        return _annotated(analysis, parsed, root)
    if isinstance(annotation, ast.BinOp):
        return union(
            _annotated(analysis, annotation.left, scope),
            _annotated(analysis, annotation.right, scope),
        )
    if isinstance(annotation, ast.Subscript):
        name = getattr(annotation.value, "attr", getattr(annotation.value, "id", ""))
        if name in ("Optional", "Final", "ClassVar", "Annotated"):
            return _annotated(analysis, tree.first_of(annotation.slice), scope)
        return _annotated(analysis, annotation.value, scope)
    found: list[Term] = []
    for term in values.evaluate(analysis, annotation, scope):
        if isinstance(term, External) and analysis.knowledge.type(term.name):
            found.append(Instance(term.name, annotation, scope))
        elif isinstance(term, ClassTerm):
            found.append(Object(term.scope, annotation))
    return tuple(found)
