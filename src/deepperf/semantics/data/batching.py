"""Whether a function of one element, given a batch, gives the batch of its results.

The function's body is walked with parts of the element in place of its parameters. Only what
keeps the axes of an element where they are is let through; whatever else is met ends the walk
with "no" or "unknown".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NoReturn

from msgspec import Struct

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph, constants, decorated, interpretation, parts
from deepperf.semantics.calls.parts import Beside, Kind, Part, Structure
from deepperf.semantics.data import preparing, reworked
from deepperf.semantics.data.batch_expressions import Expressions
from deepperf.semantics.data.batch_walk import Batching, Names, Stop, Walk
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.values import classes
from deepperf.semantics.values.terms import NONE, Argument, Term, Value

__all__ = ["Answer", "Batching", "of_value"]
_WORST_FIRST = (Batching.UNKNOWN, Batching.NO, Batching.PARSES, Batching.ALIKE, Batching.IDLE)


class Answer(Struct, frozen=True):
    """How a function does on a batch, and what it gives for an element, where that is known."""

    batching: Batching
    result: Kind | None = None


_UNKNOWN = Answer(Batching.UNKNOWN)


def of_value(
    analysis: Analysis, node: ast.expr, scope: Scope, element: Kind | None = None
) -> Answer:
    """How the callable that the expression `node` holds does on a batch of such elements."""
    return analysis.remember(
        ("batching", node, element), lambda: _of_value(analysis, node, scope, element), _UNKNOWN
    )


def _of_value(analysis: Analysis, node: ast.expr, scope: Scope, element: Kind | None) -> Answer:
    # Before it is made an attribute is None.
    known = [term for term in constants.known(analysis, node, scope) if term != NONE]
    known = [term for term in known if not isinstance(term, Argument)]
    own = node if classes.is_of_own_object(node, scope) else None
    answers = [answer for term in known for answer in _of_term(analysis, term, own, element)]
    worst = min((a.batching for a in answers), key=_WORST_FIRST.index, default=Batching.UNKNOWN)
    # One that takes parts of what was parsed has to take others of a batch, and all go through it.
    if worst is Batching.ALIKE and len({a.batching for a in answers}) > 1 and _is_parsed(element):
        worst = Batching.IDLE
    results = {answer.result for answer in answers}
    return Answer(worst, results.pop() if len(results) == 1 else None)


def _is_parsed(element: Kind | None) -> bool:
    leaves = parts.leaves(element) if element is not None else ()
    return any(isinstance(leaf, Part) and leaf.is_parsed for leaf in leaves)


def _of_term(
    analysis: Analysis, term: Term, own: ast.expr | None, element: Kind | None
) -> Iterator[Answer]:
    """How one callable does; `own` is where a method of the same object is named."""
    functions = callgraph.targets_of(analysis, (term,))
    if not functions:
        yield Answer(_of_external(analysis, term))
    if own is not None:
        # Which class its object is of is not known here: any that inherits the caller.
        functions += tuple(
            callgraph.Target(method, target.receiver, target.shift)
            for target in functions
            for method in classes.overriding(analysis, target.function)
        )
    for target in functions:
        yield _of_target(analysis, target, _preset(analysis, (term,)), element)


def _of_external(analysis: Analysis, term: Term) -> Batching:
    if preparing.is_elementwise_layer(analysis, (term,)):
        return Batching.ALIKE
    fact = callgraph.fact_of(analysis, (term,))
    if fact is None:
        return Batching.UNKNOWN
    if Trait.PARSES_EXAMPLE in fact.traits:
        return Batching.PARSES
    return Batching.ALIKE if Trait.ELEMENTWISE in fact.traits else Batching.UNKNOWN


class _Preset(Struct, frozen=True):
    """The arguments that `functools.partial` has given already."""

    positional: tuple[Beside, ...] = ()
    by_name: tuple[tuple[str, Beside], ...] = ()


def _preset(analysis: Analysis, held: Value) -> _Preset:
    term = callgraph.partial_of(analysis, held)
    if term is None or not isinstance(term.site, ast.Call):
        return _Preset()
    return _Preset(
        tuple(constants.constant(analysis, part, term.scope) for part in term.site.args[1:]),
        tuple(
            (keyword.arg, constants.constant(analysis, keyword.value, term.scope))
            for keyword in term.site.keywords
            if keyword.arg is not None
        ),
    )


def _as_default(constant: Beside, default: ast.expr | None) -> Beside:
    """What is given for a setting: a number, where nothing tells and its default is one."""
    is_number = isinstance(default, ast.Constant) and isinstance(default.value, (int, float))
    return Beside(0) if constant.rank is None and is_number else constant


def _of_target(
    analysis: Analysis, target: callgraph.Target, preset: _Preset, element: Kind | None
) -> Answer:
    node = target.function.node
    if isinstance(node, (ast.Module, ast.ClassDef)) or node.args.kwarg:
        return _UNKNOWN
    given: Names = {}
    rest = iter(preset.positional)
    by_name = dict(preset.by_name)
    listed = [*node.args.posonlyargs, *node.args.args]
    required = len(listed) - len(node.args.defaults)
    data: list[str] = []
    for index, name in enumerate(argument.arg for argument in listed):
        if index < target.shift:
            given[name] = Beside()
            continue
        constant = next(rest, None) or by_name.get(name)
        if constant is not None:
            default = node.args.defaults[index - required] if index >= required else None
            given[name] = _as_default(constant, default)
        elif index < required:  # what may be left out is a setting rather than data
            data.append(name)
    for argument in node.args.kwonlyargs:
        given[argument.arg] = by_name.get(argument.arg, Beside())
    given |= _bound(element, data, node.args.vararg)
    walk = Walk(analysis, _returned)
    try:
        result = _returned(walk, target.function, given, 0)
    except Stop as stop:
        return Answer(stop.answer)
    except RecursionError:
        return _UNKNOWN
    # A constant would not get the axis of the batch, and a list is stacked before it.
    if parts.holds_list(result) or not all(isinstance(k, Part) for k in parts.leaves(result)):
        return Answer(Batching.NO)
    if reworked.stays_unsized(result):
        return _UNKNOWN
    if walk.parses:
        return Answer(Batching.PARSES, result)
    return Answer(Batching.ALIKE if walk.works else Batching.IDLE, result)


def _bound(element: Kind | None, names: list[str], others: ast.arg | None) -> Names:
    """What an element gives to the parameters: one to each, and what is left to `*others`."""
    held: list[Kind] = [Part(name) for name in names]
    rest: Kind = Part(f"{parts.UNLIKE}*", columns=True)
    is_list = isinstance(element, Structure) and element.keys is None
    if isinstance(element, Part) and element.columns and (others or len(names) > 1):
        held, rest = [parts.column(element, name) for name in names], element
    elif isinstance(element, Structure) and is_list:
        count = len(names)
        if len(element.parts) == count or (others is not None and len(element.parts) > count):
            held, rest = list(element.parts[:count]), Structure(None, element.parts[count:])
    elif element is not None and len(names) == 1 and others is None:
        held = [element]
    found: Names = dict(zip(names, held, strict=True))
    return found if others is None else {**found, others.arg: rest}


def _returned(walk: Walk, function: Scope, given: Names, depth: int) -> Kind:
    """What the function returns, of parameters of these kinds."""
    walk.analysis.module_of(function)
    node = function.node
    if decorated.wrappers(walk.analysis, function):
        raise Stop(Batching.UNKNOWN)  # another function runs in its place
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and function.parent is not None:
        listed = [*node.args.posonlyargs, *node.args.args]
        optional = listed[len(listed) - len(node.args.defaults) :]
        for argument, default in zip(optional, node.args.defaults, strict=True):
            if argument.arg not in given:
                given[argument.arg] = constants.constant(walk.analysis, default, function.parent)
    return interpretation.returned(_Judge(walk, function, depth), function, given, depth)


class _Judge(Expressions):
    """What one function of the walk gives."""

    __slots__ = ()

    def updated(self, node: ast.AugAssign, names: Names) -> Kind:
        return self.added(node.op, [node.target, node.value], names)

    def element_of(self, iterable: ast.expr, names: Names) -> Kind:
        return self.item_of(iterable, names)

    def rests_on_data(self, test: ast.expr, names: Names) -> bool:
        if not isinstance(self.expression(test, names), Beside):
            raise Stop(Batching.NO)  # each element would go its own way
        return False

    def outcome(self, test: ast.expr, names: Names) -> bool | None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            found = self.outcome(test.operand, names)
            return None if found is None else not found
        if isinstance(test, (ast.Constant, ast.Name, ast.Attribute)):
            told = _told(self.expression(test, names))
            return told if isinstance(told, bool) else None
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
            told, *others = (
                _told(self.expression(one, names)) for one in (test.left, *test.comparators)
            )
            if len(others) == 1 and isinstance(told, str) and isinstance(others[0], str):
                return (told == others[0]) is isinstance(test.ops[0], ast.Eq)
        return None

    def either(self, first: Kind, second: Kind, node: ast.stmt) -> Kind:
        return self.merged(first, second, node)

    def result(self, kinds: list[Kind]) -> Kind:
        held, *others = kinds
        for place, other in enumerate(others):
            if held != other and (reworked.stays_unsized(held) or reworked.stays_unsized(other)):
                self.refuse()
            found = parts.merged(held, other, place)
            if found is None and all(isinstance(k, Part) for k in parts.leaves(held)):
                # As a setting says, it gives a tensor or several: features, or these with labels.
                found = Part(f"{parts.UNLIKE}{id(self.scope)}.{place}", columns=True)
                if not all(isinstance(k, Part) for k in parts.leaves(other)):
                    self.refuse()
            if found is None:
                self.refuse()
            held = found
        return held

    def refuse(self) -> NoReturn:
        raise Stop(Batching.UNKNOWN)


def _told(kind: Kind) -> bool | str | None:
    """The truth or the word that a constant is; None for others."""
    if not isinstance(kind, Beside) or kind.value == parts.SOME_NAME:
        return None
    return kind.value if isinstance(kind.value, (bool, str)) else None
