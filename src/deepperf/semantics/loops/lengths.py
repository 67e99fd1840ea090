"""How many things there are in what a loop goes over, where the text tells."""

from __future__ import annotations

import ast
import math

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import cuts
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import COMPREHENSIONS, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import elements, filled, values
from deepperf.semantics.values.terms import Argument, Display, Instance, Literal, Value

TINY = 10
"""Turns up to which a loop is not worth a finding; the original checker used the same."""


def length(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """How many elements an expression has at most, when the program's text tells; else None."""
    return analysis.remember(("length", node), lambda: _find_length(analysis, node, scope), None)


def _find_length(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    if isinstance(node, ast.Call):
        found = _length_of_call(analysis, node, scope)
        if found is not _NO_ITERATOR:
            return found
    if isinstance(node, ast.BinOp):
        return _length_joined(analysis, node, scope)
    cut = cuts.most_left(analysis, node, scope)
    if cut is None:
        cut = _encoded(analysis, node, scope)
    return cut if cut is not None else _length_of_terms(analysis, node, scope)


def _length_joined(analysis: Analysis, node: ast.BinOp, scope: Scope) -> int | None:
    """How long lists are that are joined, or one that is repeated; what arrays give is unknown."""
    sides = (node.left, node.right)
    held = [values.evaluate(analysis, side, scope) for side in sides]
    if isinstance(node.op, ast.Add):
        sizes = [length(analysis, side, scope) for side in sides]
        known = [size for size in sizes if size is not None]
        are_lists = all(isinstance(term, Display) for terms in held for term in terms)
        return sum(known) if are_lists and len(known) == len(sizes) else None
    times = [term.value for terms in held for term in terms if isinstance(term, Literal)]
    listed = [
        side
        for side, terms in zip(sides, held, strict=True)
        if any(isinstance(t, Display) for t in terms)
    ]
    if not isinstance(node.op, ast.Mult) or len(times) != 1 or len(listed) != 1:
        return None
    size = length(analysis, listed[0], scope)
    return size * times[0] if size is not None and isinstance(times[0], int) else None


def _encoded(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """How many texts, written out, an encoder gives vectors for: `model.encode([question])`."""
    if isinstance(node, ast.Name):
        made = values.definitions_of(analysis, node, scope)
        only = made[0] if len(made) == 1 else None
        if only is None or only.binding is not Binding.ASSIGNED or only.unpacking:
            return None
        call = only.value
    else:
        call = node
    if not isinstance(call, ast.Call) or last_name(call.func) != "encode" or not call.args:
        return None
    given = call.args[0]
    if not isinstance(given, (ast.List, ast.Tuple)):
        return None
    is_whole = not any(isinstance(part, ast.Starred) for part in given.elts)
    return len(given.elts) if is_whole else None


def _length_of_call(analysis: Analysis, node: ast.Call, scope: Scope) -> int | None:
    """How many elements a call gives, of those that count, cut or pass on; `_NO_ITERATOR` else."""
    names = callgraph.external_names(values.evaluate(analysis, node.func, scope))
    name = names[0] if names else ""
    if len(names) == 1 and name in elements.RANGES:
        return _range_length(analysis, node, scope)
    if names == ("builtins.zip",):
        sizes = [length(analysis, argument, scope) for argument in node.args]
        return min((size for size in sizes if size is not None), default=None)
    if name in _PASSING_ON and node.args:
        return length(analysis, node.args[0], scope)
    if name in _OF_DICTS:
        assert isinstance(node.func, ast.Attribute)
        return length(analysis, node.func.value, scope)
    if name.endswith(".arange"):
        return _steps(analysis, node, scope)
    if name.endswith(".linspace"):
        return _points(analysis, node, scope)
    fact = analysis.knowledge.fact(name) if len(names) == 1 else None
    if fact is not None and fact.returns == "$0" and node.args:
        return length(analysis, node.args[0], scope)
    return _NO_ITERATOR


_PASSING_ON = frozenset(
    f"builtins.{name}"
    for name in ("enumerate", "frozenset", "list", "reversed", "set", "sorted", "tuple")
)
_OF_DICTS = tuple(f"builtins.dict.{name}" for name in ("items", "keys", "values"))
_NO_ITERATOR = -1


def _length_of_terms(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The length of the longest list, tuple, dict or text that an expression may hold."""
    lengths: list[int | None] = []
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Display) and not isinstance(term.node, COMPREHENSIONS):
            if filled.is_filled(analysis, term):
                return None
            inner = term.node.keys if isinstance(term.node, ast.Dict) else term.node.elts
            if any(isinstance(part, ast.Starred) or part is None for part in inner):
                return None
            lengths.append(len(inner))
        elif isinstance(term, Display) and isinstance(term.node, COMPREHENSIONS):
            lengths.append(length(analysis, term.node.generators[0].iter, term.scope))
        elif isinstance(term, Literal) and isinstance(term.value, str):
            lengths.append(len(term.value))
        elif isinstance(term, Instance) and isinstance(term.site, ast.Call):
            lengths.append(_length_converted(analysis, term.site, term.scope))
        else:
            return None
    counts = [count for count in lengths if count is not None]
    return max(counts) if counts and len(counts) == len(lengths) else None


def _length_converted(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    """The length of an array made of a list, or counted; `zeros` and its like are given shapes."""
    counted = _length_of_call(analysis, call, scope)
    if counted is not _NO_ITERATOR:
        return counted
    fact = callgraph.fact_of_call(analysis, call, scope)
    if fact is None or not call.args or not {Trait.CREATES_ARRAY, Trait.BATCHED} <= fact.traits:
        return None
    return length(analysis, call.args[0], scope)


def _counted(analysis: Analysis, node: ast.expr, scope: Scope) -> int | None:
    """The length of a list, where a bound is that, perhaps by a name."""
    if isinstance(node, ast.Name):
        definitions = values.definitions_of(analysis, node, scope)
        given = definitions[0] if len(definitions) == 1 else None
        if given is None or given.binding is not Binding.ASSIGNED or given.unpacking:
            return None
        if given.value is None:
            return None
        node, scope = given.value, given.scope
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    names = callgraph.external_names(values.evaluate(analysis, node.func, scope))
    return length(analysis, node.args[0], scope) if names == ("builtins.len",) else None


def _points(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    """How many numbers `linspace` gives, where that is written out."""
    node = tree.argument(call, 2, "num")
    held = values.evaluate(analysis, node, scope) if node is not None else ()
    # A picture or a film is drawn of few points where nobody asks for more than the default.
    told = [term for term in held if not isinstance(term, Argument)]
    count = told[0].value if len(told) == 1 and isinstance(told[0], Literal) else None
    is_said = len(told) == len(held) or (isinstance(count, int) and count <= TINY)
    return count if isinstance(count, int) and is_said else None


def _range_length(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    bounds: list[int] = []
    for argument in call.args:
        held = values.evaluate(analysis, argument, scope)
        bound = held[0].value if len(held) == 1 and isinstance(held[0], Literal) else None
        if not isinstance(bound, int):
            bound = _passed(analysis, held) or _largest_of_few(held)
            bound = bound or _counted(analysis, argument, scope)
        if bound is None:
            return None
        bounds.append(bound)
    try:
        return len(range(*bounds))
    except (TypeError, ValueError, OverflowError):
        return None


def _steps(analysis: Analysis, call: ast.Call, scope: Scope) -> int | None:
    """How many numbers lie between bounds that are written out, perhaps with a fraction."""
    bounds: list[float] = []
    for argument in call.args:
        held = values.evaluate(analysis, argument, scope)
        bound = held[0].value if len(held) == 1 and isinstance(held[0], Literal) else None
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            return None
        bounds.append(bound)
    if not 0 < len(bounds) < 4 or bounds[2:] == [0]:
        return None
    start, stop = (0.0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) > 2 else 1.0
    # The last step may fall short of the bound by a rounding error.
    return max(math.ceil(round((stop - start) / step, 6)), 0)


def _largest_of_few(held: Value) -> int | None:
    """The largest of several numbers that a bound may be, where all of them are few."""
    numbers = [term.value for term in held if isinstance(term, Literal)]
    whole = [number for number in numbers if isinstance(number, int)]
    is_few = bool(whole) and len(whole) == len(held) and max(whole) <= TINY
    return max(whole) if is_few else None


def _passed(analysis: Analysis, held: Value) -> int | None:
    """The largest number that a parameter is given, where only its own file calls the function.

    Others may call what a library offers, and tests ask it for little.
    """
    functions = [term.scope for term in held if isinstance(term, Argument)]
    numbers = [term.value for term in held if isinstance(term, Literal)]
    known = [number for number in numbers if isinstance(number, int)]
    if len(functions) != 1 or not known or len(known) + 1 != len(held):
        return None
    sites = callers.callers(analysis, functions[0])
    home = functions[0].module_path
    is_alone = bool(sites) and all(site.scope.module_path == home for site in sites)
    return max(known) if is_alone else None
