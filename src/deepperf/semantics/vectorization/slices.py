"""What an expression in a loop takes of an array in each iteration, and where the iteration's
results go.

A loop does slice by slice what could be done at once where each iteration works on a slice of its
own, of arrays that the loop leaves as they are, and only keeps what comes of it.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait, has
from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import steady
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops import loops
from deepperf.semantics.loops.regions import region_of_loop
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays, filled, values
from deepperf.semantics.values.terms import Argument, Display, Instance, Object, Unknown
from deepperf.semantics.writes import harmless, writes


class Taken(enum.IntEnum):
    """What of its iteration an expression rests on; the greatest of its parts counts."""

    FIXED = 0  # the same in each iteration
    COUNTER = 1  # the iteration's number
    ELEMENT = 2  # an element of something that is not known to be an array
    SLICE = 3  # a slice of an array
    OTHER = 4  # another iteration's results, chance, a slice of a length of its own, or unknown


_COMBINING = frozenset((Trait.ELEMENTWISE, Trait.ALONG_AXIS, Trait.BATCHED, Trait.VIEWS))
_COMBINING |= frozenset((Trait.CREATES_ARRAY, Trait.CASTS, Trait.PURE))
_APART = frozenset((Trait.RANDOM, Trait.DRAWS, Trait.WRITES_STATE, Trait.READS_STATE))
_APART |= frozenset((Trait.CALLS_PYTHON, Trait.READS_FILE, Trait.PRINTS, Trait.DECODES))
_SIZING = frozenset(("length", "output_size", "scale_factor", "shape", "size"))
_CUTTING = frozenset(("broadcast_to", "expand", "narrow", "repeat", "reshape", "tile", "view"))
"""Functions, and methods, that are told by numbers how large what they give is."""
_SHAPES = members.SHAPE_ATTRIBUTES | members.SHAPE_METHODS
_TELLING = _SHAPES | members.VIEW_ATTRIBUTES
_NUMBERS = frozenset(("builtins.float", "builtins.int", "builtins.abs"))


def taken(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> Taken:
    """What an expression in the loop's body rests on in each iteration."""
    return analysis.remember(
        ("taken", node, loop.node), lambda: _taken(analysis, node, scope, loop), Taken.OTHER
    )


def _taken(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> Taken:
    if isinstance(node, ast.Constant):
        return Taken.FIXED
    if isinstance(node, ast.Name):
        return _of_name(analysis, node, scope, loop)
    if isinstance(node, ast.Attribute):
        return _of_attribute(analysis, node, scope, loop)
    if isinstance(node, ast.Subscript):
        return _of_item(analysis, node, scope, loop)
    if isinstance(node, ast.Call):
        return _of_call(analysis, node, scope, loop)
    if isinstance(node, ast.BinOp):
        return greatest(taken(analysis, part, scope, loop) for part in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return taken(analysis, node.operand, scope, loop)
    if isinstance(node, (ast.Tuple, ast.List)):
        return greatest(taken(analysis, part, scope, loop) for part in node.elts)
    return Taken.OTHER


def greatest(kinds: Iterable[Taken]) -> Taken:
    """The greatest, of none `FIXED`; what comes after one that is `OTHER` is not found out."""
    found = Taken.FIXED
    for kind in kinds:
        if kind is Taken.OTHER:
            return kind
        found = max(found, kind)
    return found


def _of_name(analysis: Analysis, node: ast.Name, scope: Scope, loop: Frame) -> Taken:
    definitions = values.definitions_of(analysis, node, scope)
    inside = [d for d in definitions if d.scope is scope and _is_inside(d, loop)]
    if not inside:
        kept = writes.written(analysis, (node.id,), region_of_loop(analysis, loop))
        return Taken.OTHER if kept is Certainty.YES else Taken.FIXED
    if len(inside) < len(definitions):
        return Taken.OTHER  # from the iteration before, too
    return greatest(_of_definition(analysis, d, scope, loop) for d in inside)


def _is_inside(definition: Definition, loop: Frame) -> bool:
    return id(loop.node) in definition.loops or definition.value is loops.iterable_of(loop)


def _of_definition(analysis: Analysis, definition: Definition, scope: Scope, loop: Frame) -> Taken:
    value = definition.value
    if value is None:
        return Taken.OTHER
    if definition.binding is Binding.ITERATED:
        return _iterated(analysis, value, scope, loop, definition.unpacking)
    if definition.binding is not Binding.ASSIGNED:
        return Taken.OTHER
    kind = taken(analysis, value, scope, loop)
    return Taken.OTHER if definition.unpacking and kind is Taken.COUNTER else kind


def _iterated(
    analysis: Analysis, value: ast.expr, scope: Scope, loop: Frame, unpacking: tuple[int, ...]
) -> Taken:
    """What the target of a loop over `value` is bound to."""
    value_or_kind = _gone_over(analysis, value, scope, loop, unpacking)
    if isinstance(value_or_kind, Taken):
        return value_or_kind
    value = value_or_kind
    pieces = _pieces(analysis, value, scope)
    whole = loops.iterable_of(loop)
    is_before = whole is not None and any(part is value for part in tree.walk(whole))
    if pieces is Taken.OTHER or (
        (pieces is None or not is_before) and (taken(analysis, value, scope, loop) is Taken.OTHER)
    ):
        return Taken.OTHER
    is_slice = pieces is Taken.SLICE or arrays.is_array(analysis, value, scope)
    return Taken.SLICE if is_slice else Taken.ELEMENT


def _gone_over(
    analysis: Analysis, value: ast.expr, scope: Scope, loop: Frame, unpacking: tuple[int, ...]
) -> ast.expr | Taken:
    """What a loop takes one member of after the other for its target, or what that is if none."""
    if isinstance(value, ast.Call):
        names = callgraph.external_names(values.evaluate(analysis, value.func, scope))
        if names == ("builtins.range",) or last_name(value.func) in ("trange", "xrange"):
            # What the loop itself goes over is made before its iterations.
            fixed = value is loops.iterable_of(loop) or all(
                taken(analysis, a, scope, loop) is Taken.FIXED for a in value.args
            )
            return Taken.COUNTER if fixed else Taken.OTHER
        if names == ("builtins.enumerate",) and value.args and unpacking:
            if unpacking[0] == 0:
                return Taken.COUNTER
            return _gone_over(analysis, value.args[0], scope, loop, unpacking[1:])
        if names == ("builtins.zip",) and unpacking and unpacking[0] < len(value.args):
            return _gone_over(analysis, value.args[unpacking[0]], scope, loop, unpacking[1:])
        if names and last_name(value.func) == "tqdm" and value.args:
            return _gone_over(analysis, value.args[0], scope, loop, unpacking)
        fact = callgraph.fact_of_call(analysis, value, scope)
        if fact is not None and fact.name.endswith(".range"):
            return Taken.COUNTER
    return value


def may_differ_evenly(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> bool:
    """Whether an expression may be a slice of the iteration, or rest on its number.

    What lists hold is neither, whether or not the iterations leave them as they are: to find that
    out leads through all that they call.
    """
    if not isinstance(node, ast.Name):
        return True
    definitions = values.definitions_of(analysis, node, scope)
    inside = [d for d in definitions if d.scope is scope and _is_inside(d, loop)]
    return not inside or any(_may_be_slice(analysis, d, scope, loop) for d in inside)


def _may_be_slice(analysis: Analysis, definition: Definition, scope: Scope, loop: Frame) -> bool:
    if definition.binding is not Binding.ITERATED or definition.value is None:
        return True
    whole = _gone_over(analysis, definition.value, scope, loop, definition.unpacking)
    if isinstance(whole, Taken):
        return whole is not Taken.OTHER
    return _pieces(analysis, whole, scope) is Taken.SLICE or arrays.is_array(analysis, whole, scope)


def _of_attribute(analysis: Analysis, node: ast.Attribute, scope: Scope, loop: Frame) -> Taken:
    if node.attr not in _TELLING and _is_iterated(analysis, node.value, scope, loop):
        return Taken.OTHER
    kind = taken(analysis, node.value, scope, loop)
    if kind is Taken.FIXED:
        same = steady.same_object(analysis, node, region_of_loop(analysis, loop))
        return Taken.FIXED if same is Certainty.YES else Taken.OTHER
    if kind is Taken.SLICE and node.attr in _TELLING:
        return Taken.FIXED if node.attr in _SHAPES else kind
    return Taken.OTHER


def _is_iterated(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> bool:
    """Whether a name is one that each iteration takes from what it goes over: it differs then."""
    return isinstance(node, ast.Name) and any(
        d.binding is Binding.ITERATED and d.scope is scope and _is_inside(d, loop)
        for d in values.definitions_of(analysis, node, scope)
    )


def _of_item(analysis: Analysis, node: ast.Subscript, scope: Scope, loop: Frame) -> Taken:
    if _is_own_place(analysis, node, scope, loop):
        return Taken.SLICE
    if _pieces(analysis, node.value, scope) is Taken.OTHER:
        return Taken.OTHER
    whole = taken(analysis, node.value, scope, loop)
    index = index_taken(analysis, node.slice, scope, loop)
    if index is Taken.SLICE and _is_of_row(analysis, node.slice, scope, loop):
        index = Taken.COUNTER
    if whole is Taken.OTHER or index not in (Taken.FIXED, Taken.COUNTER):
        return Taken.OTHER  # a mask picks as many as are true
    if index is Taken.FIXED:
        return whole
    if whole is Taken.FIXED:
        many = isinstance(node.slice, ast.Tuple)
        if many or arrays.is_array(analysis, node.value, scope):
            return Taken.SLICE
        return Taken.OTHER if _is_filled(analysis, node.value, scope) else Taken.ELEMENT
    return whole


def _is_of_row(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> bool:
    """Whether it is a number out of the iteration's row of an array: `i` of `for i, j in pairs`."""
    if not isinstance(node, ast.Name):
        return False
    whole = loops.gone_over(analysis, loop)
    return len(whole) == 1 and all(
        definition.binding is Binding.ITERATED
        and definition.value is whole[0]
        and len(definition.unpacking) == 1
        for definition in values.definitions_of(analysis, node, scope)
    )


def _is_own_place(analysis: Analysis, node: ast.Subscript, scope: Scope, loop: Frame) -> bool:
    """Whether it is the iteration's own row of an array of which the iterations write no other."""
    array, index = node.value, node.slice
    if not (isinstance(array, ast.Name) and isinstance(index, ast.Name)):
        return False
    if not any(tree.dotted(written) == array.id for written, _ in scope.item_writes):
        return False
    for part in tree.walk(loop.node):
        if isinstance(part, ast.Name) and part.id == array.id and isinstance(part.ctx, ast.Store):
            return False
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
            is_other = getattr(part.slice, "id", "") != index.id
            if is_other and tree.dotted(tree.container_of(part)) == array.id:
                return False
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            is_written = harmless.writes_by_name(part.func.attr)
            if is_written and tree.dotted(part.func.value) == array.id:
                return False
    is_counter = taken(analysis, index, scope, loop) is Taken.COUNTER
    return is_counter and arrays.is_array(analysis, array, scope)


def _is_filled(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it is a list that is filled one by one: its members may differ in length."""
    held = values.evaluate(analysis, node, scope)
    return any(isinstance(term, Display) and filled.is_filled(analysis, term) for term in held)


def index_taken(analysis: Analysis, node: ast.expr, scope: Scope, loop: Frame) -> Taken:
    """What an index rests on; a slice whose bounds the iteration gives is `OTHER`."""
    if isinstance(node, ast.Slice):
        bounds = [b for b in (node.lower, node.upper, node.step) if b is not None]
        fixed = all(taken(analysis, bound, scope, loop) is Taken.FIXED for bound in bounds)
        # A slice between numbers of the iteration is a block or a window.
        return Taken.FIXED if fixed else Taken.OTHER
    if isinstance(node, ast.Tuple):
        return greatest(index_taken(analysis, part, scope, loop) for part in node.elts)
    return taken(analysis, node, scope, loop)


def _of_call(analysis: Analysis, node: ast.Call, scope: Scope, loop: Frame) -> Taken:
    if callgraph.has_unpacked_arguments(node):
        return Taken.OTHER
    arguments = tree.arguments(node)
    held = values.evaluate(analysis, node.func, scope)
    fact = callgraph.fact_of(analysis, held)
    if fact is None and isinstance(node.func, ast.Attribute):
        fact = _method_of_slice(analysis, node.func, scope, loop)
    if fact is None:
        if callgraph.targets_of(analysis, held):
            site = analysis.module_of(scope).scopes.call_sites[id(node)]
            is_fixed = all(taken(analysis, p, scope, loop) is Taken.FIXED for p in arguments)
            if is_fixed and effects.repeatable(analysis, site) is Certainty.YES:
                return Taken.FIXED
        return Taken.OTHER
    if not fact.traits.isdisjoint(_APART) and fact.name not in _NUMBERS:
        return Taken.OTHER
    is_told = fact.name in _NUMBERS or not fact.traits.isdisjoint(_COMBINING)
    if not is_told and Trait.COMPUTES not in fact.traits:
        return Taken.OTHER
    if isinstance(node.func, ast.Attribute) and _is_object(analysis, node.func.value, scope):
        arguments.append(node.func.value)
    if has_own_size(analysis, node, scope, loop):
        return Taken.OTHER
    kind = greatest(taken(analysis, part, scope, loop) for part in arguments)
    # What comes of a slice may be as long as its values say.
    return kind if is_told or kind is Taken.FIXED else Taken.OTHER


def has_own_size(analysis: Analysis, node: ast.Call, scope: Scope, loop: Frame) -> bool:
    """Whether each iteration asks for a result of a size of its own."""
    sizes = [keyword.value for keyword in node.keywords if keyword.arg in _SIZING]
    if last_name(node.func) in _CUTTING:
        function = node.func
        is_method = isinstance(function, ast.Attribute) and _is_object(
            analysis, function.value, scope
        )
        sizes += node.args if is_method else node.args[1:]
    return any(taken(analysis, size, scope, loop) is not Taken.FIXED for size in sizes)


def _method_of_slice(
    analysis: Analysis, function: ast.Attribute, scope: Scope, loop: Frame
) -> Fact | None:
    """What is known of a method of a slice, whichever framework's array it is taken from."""
    if taken(analysis, function.value, scope, loop) is not Taken.SLICE:
        return None
    known = analysis.knowledge
    names = (known.method(name, function.attr) for name in values.ARRAY_TYPES)
    return next((known.fact(name) for name in names if name is not None), None)


def _is_object(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is an object rather than a module or class."""
    kinds = (Argument, Instance, Object, Unknown)
    return any(isinstance(term, kinds) for term in values.evaluate(analysis, node, scope))


def _pieces(analysis: Analysis, node: ast.expr, scope: Scope) -> Taken | None:
    """What the members of a list of pieces of an array are; `OTHER` if they differ in length."""
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Instance) and isinstance(term.site, ast.Call):
            held = values.evaluate(analysis, term.site.func, term.scope)
            fact = callgraph.fact_of(analysis, held)
            if has(fact, Trait.SPLITS):
                is_even = has(fact, Trait.SPLITS_EVENLY) and _is_told_number(term.site)
                return Taken.SLICE if is_even else Taken.OTHER
    return None


def _is_told_number(split: ast.Call) -> bool:
    """Whether a call that splits an array says, by its text, how many pieces it wants.

    As many as are written out are few.
    """
    named = {keyword.arg: keyword.value for keyword in split.keywords}
    is_method = isinstance(split.func, ast.Attribute) and len(split.args) == 1
    pieces = split.args[0] if is_method else split.args[1] if len(split.args) > 1 else None
    pieces = named.get("chunks", named.get("num_or_size_splits", pieces))
    if isinstance(pieces, ast.Call):
        return last_name(pieces.func) in ("int", "len", "size")
    return isinstance(pieces, ast.Subscript) and last_name(pieces.value) == "shape"
