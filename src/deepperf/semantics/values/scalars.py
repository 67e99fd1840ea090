"""Python numbers and texts that change from turn to turn: constants for compiled functions."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable

from msgspec import Struct

from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import divisors, values
from deepperf.semantics.values.terms import Argument, Display, Instance, Literal, Term

_NUMBERS = ("builtins.int", "builtins.float", "builtins.len", "builtins.round")
_DRAWS = frozenset(
    ["random." + name for name in ("gauss", "randint", "random", "randrange", "uniform")]
    + ["numpy.random." + name for name in ("rand", "randint", "randn", "random", "uniform")]
)
"""Without a size these give Python's own numbers, NumPy's old functions too."""
_BOUNDS = (("builtins.min",), ("builtins.max",))
_SCALARS = ("builtins.int", "builtins.float", "builtins.str")
_OF_NUMBERS = "math."
"""Where all functions give a Python number for numbers, and all else is one."""
_WHOLE = ("math.ceil", "math.floor", "math.trunc")  # of a fraction these take few values
_DEEPEST, _MOST_RETURNS = 8, 4


class Scalar(enum.Enum):
    """A Python number or text in a loop: the same in all turns, or another one in most."""

    FIXED = "fixed"
    NUMBER = "number"
    TEXT = "text"


class Turns(Struct, frozen=True, eq=False):
    """The turns of a loop, and the calls that lead from them to a place."""

    loop: Frame
    way: tuple[CallSite, ...]


def scalar(
    analysis: Analysis, node: ast.expr, scope: Scope, turns: Turns, deepest: int = _DEEPEST
) -> Scalar | None:
    """What an expression is in the turns; None if it is no scalar, unknown or takes few values."""
    if not deepest:
        return None
    if isinstance(node, ast.Constant):
        return Scalar.FIXED
    if isinstance(node, ast.JoinedStr):
        parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        found = [scalar(analysis, part, scope, turns, deepest - 1) for part in parts]
        changes = any(part in (Scalar.NUMBER, Scalar.TEXT) for part in found)
        return Scalar.TEXT if changes else None
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        return scalar(analysis, node.operand, scope, turns, deepest - 1)
    if isinstance(node, ast.BinOp):
        return _of_operation(analysis, node, scope, turns, deepest)
    if isinstance(node, ast.Call):
        return _of_call(analysis, node, scope, turns, deepest)
    if isinstance(node, ast.Subscript):
        return _of_item(analysis, node, scope, turns, deepest)
    if isinstance(node, ast.Name):
        return _of_name(analysis, node, scope, turns, deepest)
    if isinstance(node, ast.Attribute):
        return _of_attribute(analysis, node, scope)
    return None


def _of_attribute(analysis: Analysis, node: ast.Attribute, scope: Scope) -> Scalar | None:
    """One number: a literal, what constructors are passed, or a constant of Python's own."""
    held = values.evaluate(analysis, node, scope)
    if any(name.startswith(_OF_NUMBERS) for name in callgraph.external_names(held)):
        return Scalar.FIXED
    known = [term for term in held if not isinstance(term, Argument)]
    given = [one for term in held if isinstance(term, Argument) for one in _passed(analysis, term)]
    is_known = all(isinstance(term, Literal) for term in known or given)
    return Scalar.FIXED if is_known and _are_scalars(known or given) else None


def _passed(analysis: Analysis, term: Argument) -> list[Term]:
    found = callers.arguments_for(analysis, term.scope, term.name)
    return [one for given, scope in found for one in values.evaluate(analysis, given, scope)]


def _of_operation(
    analysis: Analysis, node: ast.BinOp, scope: Scope, turns: Turns, deepest: int
) -> Scalar | None:
    if divisors.take_few(analysis, node, scope):
        return None
    left = scalar(analysis, node.left, scope, turns, deepest - 1)
    right = scalar(analysis, node.right, scope, turns, deepest - 1)
    return None if left is None or right is None else _strongest((left, right))


def _strongest(found: Iterable[Scalar]) -> Scalar:
    kinds = set(found)
    return next((k for k in (Scalar.TEXT, Scalar.NUMBER) if k in kinds), Scalar.FIXED)


def _of_call(
    analysis: Analysis, node: ast.Call, scope: Scope, turns: Turns, deepest: int
) -> Scalar | None:
    held = values.evaluate(analysis, node.func, scope)
    names = callgraph.external_names(held)
    if not names:
        return _returned(analysis, node, scope, turns, deepest)
    if len(names) == 1 and names[0] in _DRAWS:
        has_size = names[0].startswith("numpy") and (
            any(k.arg == "size" for k in node.keywords) or len(node.args) > 2
        )
        return (
            None
            if has_size or (names[0].endswith((".rand", ".randn")) and node.args)
            else (Scalar.NUMBER)
        )
    if len(names) == 1 and names[0].startswith(_OF_NUMBERS):
        of = _of_all if names[0] in _WHOLE else _of_numbers
        return of(analysis, node, scope, turns, deepest)
    if names in _BOUNDS and not node.keywords and len(node.args) > 1:
        return _of_bound(analysis, node, scope, turns, deepest)
    if len(names) != 1 or names[0] not in (*_NUMBERS, "builtins.str"):
        return None
    if not any(_changes(analysis, part, scope, turns) for part in _names(node)):
        return Scalar.FIXED if scope is turns.loop.scope else None
    return Scalar.TEXT if names[0] == "builtins.str" else Scalar.NUMBER


def _joined(found: list[Scalar | None]) -> Scalar | None:
    known = [kind for kind in found if kind is not None]
    return _strongest(known) if known and len(known) == len(found) else None


def _returned(
    analysis: Analysis, node: ast.Call, scope: Scope, turns: Turns, deepest: int
) -> Scalar | None:
    """What the one function that is called computes by formulas."""
    site = analysis.module_of(scope).scopes.call_sites.get(id(node))
    targets = callgraph.targets(analysis, site) if site is not None else ()
    if site is None or len(targets) != 1:
        return None
    function = targets[0].function
    analysis.module_of(function)
    if not 0 < len(function.returns) <= _MOST_RETURNS or function.yields:
        return None
    inside = Turns(turns.loop, (*turns.way, site))
    return _joined(
        [scalar(analysis, one, function, inside, deepest - 1) for one in function.returns]
    )


def _of_bound(
    analysis: Analysis, node: ast.Call, scope: Scope, turns: Turns, deepest: int
) -> Scalar | None:
    """A number kept below or above another: as many values as it has on the way there."""
    # Of whole numbers few are left.
    is_fraction = any(_is_fraction(part) for part in node.args)
    return _of_all(analysis, node, scope, turns, deepest) if is_fraction else None


def _of_all(
    analysis: Analysis, node: ast.Call, scope: Scope, turns: Turns, deepest: int
) -> Scalar | None:
    """What is made of all numbers that a call is passed."""
    found = [scalar(analysis, part, scope, turns, deepest - 1) for part in node.args]
    return _joined(found)


def _of_numbers(
    analysis: Analysis, node: ast.Call, scope: Scope, turns: Turns, deepest: int
) -> Scalar | None:
    """A number in any case, whatever else it is made of, which changes as one of its names does."""
    found = [scalar(analysis, part, scope, turns, deepest - 1) for part in _names(node)]
    whole = _of_all(analysis, node, scope, turns, deepest)
    return Scalar.NUMBER if Scalar.NUMBER in found else whole


def _is_fraction(node: ast.expr) -> bool:
    parts = [*ast.walk(node)]
    return any(isinstance(one, ast.Div) or type(getattr(one, "value", 0)) is float for one in parts)


def _names(node: ast.Call) -> list[ast.Name]:
    given = tree.arguments(node)
    return [part for root in given for part in tree.walk(root) if isinstance(part, ast.Name)]


def _changes(analysis: Analysis, node: ast.Name, scope: Scope, turns: Turns) -> bool:
    """Whether the loop binds a name that a number is made of anew in its turns."""
    return scope is turns.loop.scope and any(
        _is_inside(definition, turns.loop)
        for definition in values.definitions_of(analysis, node, scope)
    )


def _is_inside(definition: Definition, loop: Frame) -> bool:
    return definition.scope is loop.scope and (
        id(loop.node) in definition.loops or definition.node is loop.node
    )


def _of_item(
    analysis: Analysis, node: ast.Subscript, scope: Scope, turns: Turns, deepest: int
) -> Scalar | None:
    """A number or text picked from a list that is written out."""
    held = values.evaluate(analysis, node, scope)
    if not _are_scalars(held) or len(held) <= 1:
        return None
    index = scalar(analysis, node.slice, scope, turns, deepest - 1)
    if index not in (Scalar.NUMBER, Scalar.TEXT):
        return index
    return _kind(held)


def _are_scalars(held: Iterable[Term]) -> bool:
    terms = list(held)
    return bool(terms) and all(
        (isinstance(term, Literal) and type(term.value) in (int, float, str))
        or (isinstance(term, Instance) and term.type in _SCALARS)
        for term in terms
    )


def _kind(held: Iterable[Term]) -> Scalar:
    is_text = any(
        (isinstance(term, Literal) and isinstance(term.value, str))
        or (isinstance(term, Instance) and term.type == "builtins.str")
        for term in held
    )
    return Scalar.TEXT if is_text else Scalar.NUMBER


# Names


def _of_name(
    analysis: Analysis, node: ast.Name, scope: Scope, turns: Turns, deepest: int
) -> Scalar | None:
    definitions = values.definitions_of(analysis, node, scope)
    found = [_of_definition(analysis, d, turns, deepest) for d in definitions]
    return _joined(found)


def _of_definition(
    analysis: Analysis, definition: Definition, turns: Turns, deepest: int
) -> Scalar | None:
    if definition.binding is Binding.PARAMETER:
        return _of_parameter(analysis, definition, turns, deepest)
    if definition.binding is Binding.ITERATED:
        return _of_target(analysis, definition, turns)
    if definition.value is None:
        return None
    if definition.unpacking:
        part = _unpacked(definition.value, definition.unpacking)
        if part is None or definition.binding is not Binding.ASSIGNED:
            return None
        return scalar(analysis, part, definition.scope, turns, deepest - 1)
    if definition.binding is Binding.AUGMENTED:
        if scalar(analysis, definition.value, definition.scope, turns, deepest - 1) is None:
            return None
        if not _is_inside(definition, turns.loop):
            return Scalar.FIXED
        if _is_replaced(analysis, definition, turns, deepest):
            return None
        # What is changed now and then takes few values.
        return None if _is_conditional(definition, turns.loop) else Scalar.NUMBER
    if definition.binding is not Binding.ASSIGNED:
        return None
    step = _step(definition)
    if step is None or not _is_inside(definition, turns.loop):
        return scalar(analysis, definition.value, definition.scope, turns, deepest - 1)
    if scalar(analysis, step, definition.scope, turns, deepest - 1) is None:
        return None
    return None if _is_conditional(definition, turns.loop) else Scalar.NUMBER


def _is_replaced(analysis: Analysis, definition: Definition, turns: Turns, deepest: int) -> bool:
    """Whether another turn may have put something else in its place: `_, n = step(x, n)`."""
    changed = definition.node
    if not isinstance(changed, ast.AugAssign) or not isinstance(changed.target, ast.Name):
        return False
    before = values.definitions_of(analysis, changed.target, definition.scope)
    return deepest > 1 and any(
        one.binding is Binding.ASSIGNED
        and _is_inside(one, turns.loop)
        and _of_definition(analysis, one, turns, deepest - 1) is None
        for one in before
    )


def _step(definition: Definition) -> ast.expr | None:
    """By what a number is changed where it is made of itself: `rate = rate * 0.99`."""
    value = definition.value
    if not isinstance(value, ast.BinOp) or isinstance(value.op, ast.Mod):
        return None
    for own, other in ((value.left, value.right), (value.right, value.left)):
        if isinstance(own, ast.Name) and own.id == definition.name:
            return other
    return None


def _unpacked(value: ast.expr, unpacking: tuple[int, ...]) -> ast.expr | None:
    """The part that a name is bound to where both sides are written out: `a, b = 1, 2`."""
    for index in unpacking:
        if not isinstance(value, (ast.Tuple, ast.List)) or not 0 <= index < len(value.elts):
            return None
        if any(isinstance(part, ast.Starred) for part in value.elts):
            return None
        value = value.elts[index]
    return value


def _is_conditional(definition: Definition, loop: Frame) -> bool:
    return any(
        part is definition.node
        for outer in tree.walk(loop.node)
        if isinstance(outer, ast.If)
        for part in tree.walk(outer)
    )


def _of_target(analysis: Analysis, definition: Definition, turns: Turns) -> Scalar | None:
    held = values.definition_value(analysis, definition)
    if not _are_scalars(held):
        return _listed(analysis, definition, turns)
    frames = analysis.module_of(definition.scope).scopes.loop_frames
    for loop in definition.scope.loops:
        if loops.iterable_of(loop) is not definition.value:
            continue
        if loops.is_tiny(analysis, frames[id(loop.node)]):
            return None
        if definition.scope is not turns.loop.scope:
            return _kind(held)
        is_turned = loop is turns.loop or id(turns.loop.node) in definition.loops
        return _kind(held) if is_turned else Scalar.FIXED
    # Unpacked, by enumerate or zip.
    if _is_inside(definition, turns.loop):
        return _kind(held)
    return Scalar.FIXED if definition.scope is turns.loop.scope else None


def _listed(analysis: Analysis, definition: Definition, turns: Turns) -> Scalar | None:
    """An element of a list of numbers that a comprehension or an array's `tolist` gives."""
    iterable = definition.value
    if iterable is None or definition.unpacking or not _is_inside(definition, turns.loop):
        return None
    found = [
        _element(analysis, term) for term in values.evaluate(analysis, iterable, definition.scope)
    ]
    return _joined(found)


def _element(analysis: Analysis, term: Term) -> Scalar | None:
    if isinstance(term, Display) and isinstance(term.node, (ast.ListComp, ast.GeneratorExp)):
        frame = analysis.module_of(term.scope).scopes.loop_frames[id(term.node)]
        if loops.is_tiny(analysis, frame):
            return None
        return scalar(analysis, term.node.elt, term.scope, Turns(frame, ()))
    if isinstance(term, Instance) and isinstance(term.site, ast.Call):
        function = term.site.func
        if isinstance(function, ast.Attribute) and function.attr == "tolist":
            return Scalar.NUMBER
    return None


def _of_parameter(
    analysis: Analysis, definition: Definition, turns: Turns, deepest: int
) -> Scalar | None:
    """What the call on the way passes."""
    for site in turns.way:
        for target in callgraph.targets(analysis, site):
            if target.function is definition.scope:
                given = callgraph.bound_arguments(site.node, target).get(definition.name)
                if given is None:
                    return None
                return scalar(analysis, given, site.scope, turns, deepest - 1)
    return Scalar.FIXED if _is_number_before(analysis, definition, turns.loop) else None


def _is_number_before(analysis: Analysis, definition: Definition, loop: Frame) -> bool:
    """Whether a parameter of the function around a loop is one number: by what it is given."""
    if definition.scope is not loop.scope:
        return False
    held = values.definition_value(analysis, definition)
    known = [term for term in held if not isinstance(term, Argument)]
    if known:
        return _are_scalars(known)
    whole = loops.iterable_of(loop)
    return (
        isinstance(whole, ast.Call)
        and getattr(whole.func, "id", "") == "range"
        and any(getattr(bound, "id", "") == definition.name for bound in whole.args)
    )
