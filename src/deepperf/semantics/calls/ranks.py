"""How many axes an array has that is made beside the elements of a dataset, by its text.

What is computed of all data along their first axis has no more axes than one of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callers, callgraph, constants
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.sizes import array_shapes
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Getter, Setter
from deepperf.semantics.values import classes, fields, given, values
from deepperf.semantics.values.terms import (
    ARRAY_TYPES,
    NONE,
    Display,
    External,
    Instance,
    Literal,
    ModuleTerm,
    Object,
    Term,
)

_NUMBERS = ("builtins.int", "builtins.float", "builtins.bool", "builtins.str")
_RESHAPING = (
    Trait.ALONG_AXIS,
    Trait.HANDLES_TEXT,
    Trait.JOINS,
    Trait.LISTS_COLUMNS,
    Trait.LISTS_PARTS,
    Trait.MARKS_INDICES,
    Trait.NUMBERS_BYTES,
)
"""Of what may give more axes than it is given."""
_LIBRARIES = frozenset(
    """PIL builtins cv2 jax keras math numpy pandas scipy tensorflow torch""".split()  # noqa: SIM905
)
"""What these have by names, and is not called, are numbers, types and settings."""
_NO_DATA = (ParameterRole.AXIS, ParameterRole.SETTING, ParameterRole.KEEPS_AXES)


def rank(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """How many axes an expression has at most, 0 for what is no array; None if that is not told."""
    return analysis.remember(("axes of", node), lambda: _rank(analysis, node, scope), None)


def _rank(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    held = constants.known(analysis, node, scope)
    found = _most(of_term(analysis, term) for term in held if term != NONE)
    return _by_text(analysis, node, scope) if found is None else found


def _most(ranks: Iterable[int | None]) -> int | None:
    """The greatest; None if there are none, or one is not known."""
    found = list(ranks)
    known = [one for one in found if one is not None]
    return max(known) if known and len(known) == len(found) else None


def of_term(analysis: Analysis, term: Term) -> int | None:
    """The same of one of the things that an expression may hold."""
    if isinstance(term, Literal):
        return 0
    if isinstance(term, External):
        return _offered(term.name)
    if isinstance(term, Display):
        return _written(term.node)
    if not isinstance(term, Instance):
        return None
    if term.type in _NUMBERS:
        return 0
    if not isinstance(term.site, ast.Call):
        return None
    return _made(analysis, term.site, term.scope)


def _offered(name: str) -> int | None:
    """The same of what a package outside the project has by a name, which may be a table."""
    return 0 if name.partition(".")[0] in _LIBRARIES else None


def _made(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    """What a call of something outside the project gives."""
    function = call.func
    if isinstance(function, ast.Attribute):
        if function.attr in members.REDUCTIONS:
            return _reduced(analysis, call, function, scope, 0)
        if function.attr in members.QUANTILES:
            return _quantiles(analysis, call, function, scope)
    fact = callgraph.fact_of_call(analysis, call, scope)
    if call.args and has(fact, Trait.CREATES_ARRAY):
        # Of a shape this gives too little, but elements have as many axes as such arrays.
        found = rank(analysis, call.args[0], scope)
        return 1 if found == 0 and array_shapes.array_shape(analysis, call, scope) else found
    is_plain = has(fact, Trait.ELEMENTWISE, Trait.CASTS) and not has(fact, *_RESHAPING)
    if fact is not None and is_plain:
        settings = [callgraph.role_argument(call, fact, role) for role in _NO_DATA]
        owner = [function.value] if isinstance(function, ast.Attribute) else []
        is_method = isinstance(function, ast.Attribute) and not callgraph.external_names(
            values.evaluate(analysis, function.value, scope)
        )
        data = [one for one in tree.arguments(call) if one not in settings]
        data = owner[: int(is_method)] + data
        return _most(rank(analysis, one, scope) for one in data)
    if isinstance(function, ast.Attribute) and function.attr in members.CONVERSIONS:
        return rank(analysis, function.value, scope)
    return None


def _quantiles(
    analysis: Analysis, call: ast.Call, function: ast.Attribute, scope: Scope
) -> int | None:
    """What is left of an array, for each of the shares that are asked for."""
    named = [word.value for word in call.keywords if word.arg == "q"]
    asked = named or _settings(analysis, call, function, scope)[:1]
    left = _reduced(analysis, call, function, scope, 0 if named else 1)
    more = rank(analysis, asked[0], scope) if asked else None
    return None if left is None or more is None else left + more


def _settings(
    analysis: Analysis, call: ast.Call, function: ast.Attribute, scope: Scope
) -> list[ast.expr]:
    """What a call is given by position behind the array, which a method is read from."""
    is_function = callgraph.external_names(values.evaluate(analysis, function.value, scope))
    return call.args[1:] if is_function else call.args


def _reduced(
    analysis: Analysis, call: ast.Call, function: ast.Attribute, scope: Scope, place: int
) -> int | None:
    """What is left of an array: of its first axis, or of all; None where others may be meant.

    Along the first this may be too little, but elements have as many axes as a row. The axis
    may be told at a place behind the array.
    """
    is_function = bool(callgraph.external_names(values.evaluate(analysis, function.value, scope)))
    listed = _settings(analysis, call, function, scope)[place : place + 1]
    listed += [word.value for word in call.keywords if word.arg in ("axis", "dim")]
    kept = [word.value for word in call.keywords if word.arg in ("keepdims", "keepdim")]
    if any(not isinstance(one, ast.Constant) or one.value for one in kept):
        return None
    if not listed:
        # A table has a mean for each of its columns.
        owner = () if is_function else values.evaluate(analysis, function.value, scope)
        of_arrays = (isinstance(t, Instance) and t.type in ARRAY_TYPES for t in owner)
        return 0 if is_function or (owner and all(of_arrays)) else None
    axes = listed[0].elts if isinstance(listed[0], (ast.Tuple, ast.List)) else listed[:1]
    return 1 if any(isinstance(one, ast.Constant) and one.value == 0 for one in axes) else None


def _written(node: ast.AST) -> int | None:
    """How many axes the array has that a nested list of numbers makes."""
    if isinstance(node, (ast.List, ast.Tuple)):
        inner = [_written(element) for element in node.elts]
        known = [rank for rank in inner if rank is not None]
        return 1 + max(known, default=0) if len(known) == len(inner) else None
    if isinstance(node, ast.UnaryOp):
        return _written(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _written(node.left), _written(node.right)
        return 0 if left == right == 0 else None
    return 0 if isinstance(node, ast.Constant) else None


# By what an expression is made of


def _by_text(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The same where nothing is known of what it holds, but of what that is made."""
    if isinstance(node, ast.Name):
        return _most(
            _defined(analysis, one) for one in values.definitions_of(analysis, node, scope)
        )
    if isinstance(node, ast.Attribute) and not isinstance(node, (Getter, Setter)):
        return _most(_of_attribute(analysis, node, scope))
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        return _most(rank(analysis, side, scope) for side in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return rank(analysis, node.operand, scope)
    if isinstance(node, ast.IfExp):
        return _most(rank(analysis, one, scope) for one in (node.body, node.orelse))
    # An index takes axes away, unless it says that there is a new one.
    if isinstance(node, ast.Subscript) and not _adds_axes(node.slice):
        return rank(analysis, node.value, scope)
    if isinstance(node, ast.Call):
        return _returned(analysis, node, scope)
    return None


def _adds_axes(index: ast.expr) -> bool:
    """Whether an index may be anything but names, numbers and slices of them."""
    listed = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(
        isinstance(part, (ast.List, ast.Call))
        or (isinstance(part, ast.Constant) and not isinstance(part.value, (int, str)))
        or (isinstance(part, ast.Attribute) and part.attr == "newaxis")
        for part in listed
    )


def _defined(analysis: Analysis, definition: Definition) -> int | None:
    if definition.binding is Binding.PARAMETER:
        return _most(rank(analysis, *one) for one in _passed(analysis, definition))
    value = definition.value
    if definition.binding is Binding.IMPORTED and isinstance(definition.node, ast.alias):
        return _most(_defined(analysis, one) for one in _elsewhere(analysis, definition))
    if definition.binding is not Binding.ASSIGNED or value is None:
        return None
    part = _part(value, definition.unpacking)
    return None if part is None else rank(analysis, part, definition.scope)


def _part(value: ast.expr | None, places: tuple[int, ...]) -> ast.expr | None:
    """What a target of an assignment gets of what is written out on its right."""
    for place in places:
        if not isinstance(value, (ast.Tuple, ast.List)) or place >= len(value.elts):
            return None
        if any(isinstance(one, ast.Starred) for one in value.elts):
            return None
        value = value.elts[place]
    return value


def _passed(analysis: Analysis, definition: Definition) -> Iterator[tuple[ast.expr, Scope]]:
    """What calls of a function pass for a parameter, and what it is where they do not."""
    function, node = definition.scope, definition.scope.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return
    with analysis.going_up() as may_go_up:
        if may_go_up:
            yield from callers.arguments_for(analysis, function, definition.name)
    default = given.default_of(node, definition.name)
    if default is not None and function.parent is not None:
        yield default, function.parent


def _elsewhere(analysis: Analysis, definition: Definition) -> Iterator[Definition]:
    """What another file of the project binds to a name that is imported from it."""
    alias, scope = definition.node, definition.scope
    assert isinstance(alias, ast.alias)
    statement = analysis.module_of(scope).scopes.imports.get(id(alias))
    if isinstance(statement, ast.ImportFrom):
        dotted = "." * statement.level + (statement.module or "")
        path = analysis.project.find(dotted, scope.module_path)
        if path is not None and path != scope.module_path:
            root = analysis.module(path).scopes.module
            yield from values.module_definitions(analysis, root, alias.name)


def _of_attribute(analysis: Analysis, node: ast.Attribute, scope: Scope) -> Iterator[int | None]:
    """The same of all that an attribute is set to, in modules or for objects of the project."""
    for term in constants.known(analysis, node.value, scope):
        if isinstance(term, ModuleTerm):
            root = analysis.module(term.path).scopes.module
            for one in values.module_definitions(analysis, root, node.attr):
                yield _defined(analysis, one)
        elif isinstance(term, Object):
            for write in classes.attribute_writes(analysis, term.cls, node.attr):
                made = _part(write.value, write.unpacking)
                if made is None:
                    yield None
                elif values.evaluate(analysis, made, write.scope) != (NONE,):
                    yield rank(analysis, made, write.scope)
            for passed, at in fields.passed(analysis, term.cls, node.attr):
                yield rank(analysis, passed, at)
            default = fields.default(term.cls, node.attr)
            if default is not None and term.cls.parent is not None:
                yield rank(analysis, default, term.cls.parent)
        elif term != NONE:
            yield None


def _returned(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    """What functions of the project give."""
    held = values.evaluate(analysis, call.func, scope)
    results = []
    for target in callgraph.targets_of(analysis, held):
        analysis.module_of(target.function)
        results += [(result, target.function) for result in target.function.returns]
    return _most(rank(analysis, *one) for one in results)
