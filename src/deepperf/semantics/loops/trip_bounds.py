"""How often a loop turns at most, as far as defaults and the calls in the project tell."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import ParameterRole
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import lengths, loops
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Frame, Scope
from deepperf.semantics.values import elements, given, settings, values
from deepperf.semantics.values.terms import Argument, Literal

_FARTHEST = 4
"""Names, and calls that pass a number on, between a loop and where the number is told."""
_PAIRING = (("builtins.enumerate",), ("builtins.list",), ("builtins.reversed",))


def trips_asked(analysis: Analysis, loop: Frame) -> int | None:
    """How often the loop turns at most, as far as calls in the project, or defaults, tell."""
    found, iterable = loops.trips(analysis, loop), loops.iterable_of(loop)
    if found is not None or iterable is None:
        return found
    return _length(analysis, iterable, loop.scope, _FARTHEST)


def length(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """How many elements an expression has at most, told in the same way."""
    return _length(analysis, node, scope, _FARTHEST)


def number(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The largest whole number that an expression may hold, told in the same way."""
    return _most(analysis, node, scope, _FARTHEST)


def _length(analysis: Analysis, node: ast.expr, scope: Scope, farther: int) -> int | None:
    """How many elements an expression has at most."""
    found = lengths.length(analysis, node, scope)
    if found is not None or not farther:
        return found
    node = elements.bare(analysis, node, scope)
    if isinstance(node, ast.Name):
        made = values.definitions_of(analysis, node, scope)
        sizes = [
            _length(analysis, definition.value, definition.scope, farther - 1)
            for definition in made
            if definition.binding is Binding.ASSIGNED
            and definition.value is not None
            and not definition.unpacking
        ]
        if len(sizes) != 1:
            return None
        others = [d for d in made if d.binding is Binding.PARAMETER and _is_optional(d)]
        for other in others if len(made) == 2 else ():
            for given_list, at in callers.sizes_for(analysis, other.scope, other.name):
                sizes.append(_length(analysis, given_list, at, farther - 1))
        known = [one for one in sizes if one is not None]
        return max(known) if len(known) == len(sizes) else None
    if not isinstance(node, ast.Call):
        return None
    names = callgraph.external_names(values.evaluate(analysis, node.func, scope))
    if len(names) == 1 and names[0] in elements.RANGES:
        # From the second bound on, the first and the step make it fewer.
        last = node.args[:2][-1:] if len(node.args) < 3 else []
        return _most(analysis, last[0], scope, farther) if last else None
    if names in _PAIRING and node.args:
        return _length(analysis, node.args[0], scope, farther)
    if names == ("builtins.zip",):
        parts = [_length(analysis, part, scope, farther) for part in node.args]
        return min((part for part in parts if part is not None), default=None)
    fact = callgraph.fact_of_call(analysis, node, scope)
    shape = callgraph.role_argument(node, fact, ParameterRole.SHAPE) if fact else None
    if isinstance(shape, (ast.Tuple, ast.List)):
        shape = next(iter(shape.elts), None)
    return _most(analysis, shape, scope, farther) if shape is not None else None


def _is_optional(definition: Definition) -> bool:
    """Whether a parameter may be left out, so that the function takes a list of its own."""
    node = definition.scope.node
    assert not isinstance(node, (ast.Module, ast.ClassDef))
    default = given.default_of(node, definition.name)
    return isinstance(default, ast.Constant) and default.value is None


def _most(analysis: Analysis, node: ast.expr, scope: Scope, farther: int) -> int | None:
    """The largest whole number that an expression may hold, where all that may is told."""
    if not farther:
        return None
    held = values.evaluate(analysis, node, scope)
    told = [term.value for term in held if isinstance(term, Literal)]
    counts = [value for value in told if isinstance(value, int)]
    passed = [term for term in held if isinstance(term, Argument)]
    if counts and len(counts) + len(passed) == len(held):
        is_called = all(callers.callers(analysis, term.scope) for term in passed)
        return max(counts) if is_called else None
    if not isinstance(node, ast.Name):
        return settings.default_number(analysis, node, scope)
    numbers = [
        _most_of(analysis, definition, farther - 1)
        for definition in values.definitions_of(analysis, node, scope)
    ]
    known = [number for number in numbers if number is not None]
    return max(known) if known and len(known) == len(numbers) else None


def _most_of(analysis: Analysis, definition: Definition, farther: int) -> int | None:
    """The largest whole number that a name is bound to."""
    if definition.binding is Binding.PARAMETER:
        passed = callers.sizes_for(analysis, definition.scope, definition.name)
        numbers = [_most(analysis, argument, scope, farther) for argument, scope in passed]
        node = definition.scope.node
        assert not isinstance(node, (ast.Module, ast.ClassDef))
        default = given.default_of(node, definition.name)
        if default is not None and numbers:
            numbers.append(_most(analysis, default, definition.scope, farther))
        known = [number for number in numbers if number is not None]
        return max(known) if known and len(known) == len(numbers) else None
    if definition.value is None or definition.unpacking:
        return None
    if definition.binding is Binding.ASSIGNED:
        return _most(analysis, definition.value, definition.scope, farther)
    if definition.binding is not Binding.ITERATED or not isinstance(definition.value, ast.Call):
        return None
    # The numbers of a range end before its last bound.
    names = callgraph.external_names(
        values.evaluate(analysis, definition.value.func, definition.scope)
    )
    is_range = len(names) == 1 and names[0] in elements.RANGES
    return _length(analysis, definition.value, definition.scope, farther) if is_range else None
