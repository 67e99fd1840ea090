"""What a piece of code that runs again and again gives a name, and does to it before it is used.

An array that each iteration makes anew, and fills with the same, is the same in each iteration.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.semantics.calls import callgraph, effects, newness
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import steady
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.invariance.steadiness import CHANGES, STAYS, UNKNOWN, Steadiness, together
from deepperf.semantics.loops.regions import Region, last_name
from deepperf.semantics.names.flow import Binding, Definition, Definitions
from deepperf.semantics.names.scopes import CallSite, Frame
from deepperf.semantics.names.scopes import last_name as last_name_of
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.writes import aliases, in_place, writes

_REPLAYED = members.REPLAYED | members.LIST_ADDITIONS
_PARTS = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple, ast.List, ast.Slice,
    ast.Subscript, ast.Starred, ast.Attribute,
)  # fmt: skip


def made(analysis: Analysis, definition: Definition, region: Region) -> Steadiness:
    """Whether a binding in the region binds a name to the same in each iteration."""
    value, loop = definition.value, region.loop
    if definition.binding is Binding.IMPORTED:
        return STAYS
    if value is None:
        return CHANGES
    if definition.binding is Binding.AUGMENTED:
        return _augmented(analysis, definition, value, region)
    if definition.binding is Binding.ASSIGNED:
        return steady.steady(analysis, value, region)
    if definition.binding is not Binding.ITERATED:
        return UNKNOWN
    if loop is not None and definition.loops[-1:] == (id(loop.node),):
        return CHANGES
    # The elements of an inner loop are the same in each iteration of this one.
    return steady.steady(analysis, _part(value, definition.unpacking), region)


def _part(iterable: ast.expr, unpacking: tuple[int, ...]) -> ast.expr:
    """What is gone over for one of the names that a loop binds: of `zip(x, y)` one of these."""
    for index in unpacking:
        parts = iterable.args if isinstance(iterable, ast.Call) else []
        called = getattr(iterable.func, "id", "") if isinstance(iterable, ast.Call) else ""
        if called == "enumerate" and index == 1 and parts:
            iterable = parts[0]
        elif called == "zip" and index < len(parts) and not isinstance(parts[index], ast.Starred):
            iterable = parts[index]
        else:
            break
    return iterable


def _augmented(
    analysis: Analysis, definition: Definition, value: ast.expr, region: Region
) -> Steadiness:
    """Whether `x += y` gives the same: of what the same iteration made, so that nobody
    else has it.
    """
    flow = analysis.module_of(region.scope).flow(region.scope)
    before = flow.uses.get(id(definition.node), ())
    if len(before) != 1 or not steady.stands_in(before[0], region):
        return CHANGES
    if before[0].loops != definition.loops or not newness.is_new(analysis, before[0]):
        return UNKNOWN
    return together((made(analysis, before[0], region), steady.steady(analysis, value, region)))


def settings_of_cast(
    analysis: Analysis, definition: Definition, among: Definitions
) -> list[ast.expr] | None:
    """What else is given to the casts and moves by which a name is bound to itself anew.

    None where something else is done, such as `x = 2 * x`, or what is cast was bound by another
    definition than those asked about.
    """
    if definition.binding is not Binding.ASSIGNED or definition.unpacking:
        return None
    value, settings = definition.value, list[ast.expr]()
    while isinstance(value, ast.Call):
        function, given = value.func, tree.arguments(value)
        if isinstance(function, ast.Attribute) and function.attr in members.CONVERSIONS:
            value = function.value
        elif last_name_of(function) in members.CONVERTERS and value.args:
            held = values.evaluate(analysis, function, definition.scope)
            if not callgraph.external_names(held):
                return None
            operand = value.args[0]
            value, given = operand, [one for one in given if one is not operand]
        else:
            return None
        settings += given
    if not isinstance(value, ast.Name) or value.id != definition.name:
        return None
    before = values.definitions_of(analysis, value, definition.scope)
    is_itself = bool(before) and all(one in among for one in before)
    return settings if is_itself and value is not definition.value else None


# What is done to a new array


def replayed(analysis: Analysis, definition: Definition, region: Region) -> Steadiness:
    """Whether a name is given a new array, and all that the region does to that is the same.

    It is done in the same order in each iteration, and so the array is the same where it is used.
    """
    return analysis.remember(
        ("replayed", definition, region.loop),
        lambda: _replayed(analysis, definition, region),
        UNKNOWN,
    )


def _replayed(analysis: Analysis, definition: Definition, region: Region) -> Steadiness:
    name = definition.name
    if not newness.is_new(analysis, definition) or name in region.objects:
        return UNKNOWN
    if name in writes.written_inside(analysis, region.scope) or _is_shown(analysis, name, region):
        return UNKNOWN
    answers = []
    # What is added to has been made, and may have been written to, before.
    held = aliases.held_by(analysis, (definition,), region.scope)
    for place in in_place.changed_in_place(analysis, region):
        is_own = isinstance(place, ast.Name) and place.id == name
        shown = () if is_own else aliases.shown(analysis, place, region.scope)
        if any(chain[0] == name for chain in shown):
            return UNKNOWN
    for target, frames in region.scope.item_writes:
        if region.loop is not None and region.loop not in frames:
            continue
        if not isinstance(target, ast.Name) or target.id != name:
            continue
        if not held.isdisjoint(values.definitions_of(analysis, target, region.scope)):
            answers.append(_item_set(analysis, target, frames, name, region))
    for access in region.accesses.get(name, ()):
        found = writes.of_access(analysis, access, (name,))
        if found is Certainty.YES:
            is_method = access.on_it and last_name(access.site) in _REPLAYED
            answers.append(_method(analysis, access.site, name, region) if is_method else CHANGES)
        elif found is Certainty.UNKNOWN:
            return UNKNOWN
    return together(answers)


def _item_set(
    analysis: Analysis,
    target: ast.expr,
    frames: tuple[Frame, ...],
    name: str,
    region: Region,
) -> Steadiness:
    """Whether the same is put into the same items under the same conditions."""
    around = analysis.parents_in(region.scope)
    item = around.get(id(target))
    statement = around.get(id(item))
    if not isinstance(target, ast.Name) or not isinstance(item, ast.Subscript):
        return UNKNOWN
    if not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return UNKNOWN
    return _same(analysis, [item.slice, statement.value], frames, name, region)


def _method(analysis: Analysis, site: CallSite, name: str, region: Region) -> Steadiness:
    return _same(analysis, tree.arguments(site.node), site.frames, name, region)


def _same(
    analysis: Analysis,
    parts: list[ast.expr],
    frames: tuple[Frame, ...],
    name: str,
    region: Region,
) -> Steadiness:
    """Whether expressions are the same in each iteration, as far as they do not rest on
    the name.
    """
    start = frames.index(region.loop) + 1 if region.loop is not None else 0
    for frame in frames[start:]:
        if isinstance(frame.node, ast.If):
            parts = [*parts, frame.node.test]
        elif isinstance(frame.node, ast.For):
            parts = [*parts, frame.node.iter]
        elif not isinstance(frame.node, ast.With):
            return UNKNOWN
    answers: list[Steadiness] = []
    for part in parts:
        rest = list(_beside(analysis, part, name, region))
        if None in rest:
            return UNKNOWN
        answers += [steady.steady(analysis, one, region) for one in rest if one is not None]
    return together(answers)


def _beside(
    analysis: Analysis, node: ast.expr, name: str, region: Region
) -> Iterator[ast.expr | None]:
    """What an expression rests on beside the name; None where that cannot be told apart."""
    if name not in tree.names_in(node):
        yield node
    elif isinstance(node, ast.Call):
        site = analysis.site_of(node, region.scope)
        if site is None or effects.repeatable(analysis, site) is not Certainty.YES:
            yield None
            return
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        for part in [*tree.arguments(node), *([] if owner is None else [owner])]:
            yield from _beside(analysis, part, name, region)
    elif isinstance(node, _PARTS):
        for inner in tree.children(node):
            if isinstance(inner, ast.expr):
                yield from _beside(analysis, inner, name, region)
    elif not isinstance(node, ast.Name):
        yield None


def _is_shown(analysis: Analysis, name: str, region: Region) -> bool:
    """Whether the region has another name for the array, or for a part of it, or keeps it."""
    accesses = region.accesses.get(name, ())
    if any(not one.on_it and last_name(one.site) in writes.KEEPING for one in accesses):
        return True
    whole = region.scope.node if region.loop is None else region.loop.node
    for part in tree.walk(whole):
        if isinstance(part, ast.Assign):
            given, names = part.value, tree.names_in(*part.targets)
        elif isinstance(part, (ast.For, ast.comprehension)):
            given, names = part.iter, tree.names_in(part.target)
        else:
            continue
        if names == {name} or name not in tree.names_in(given):
            continue
        if any(chain[0] == name for chain in aliases.shown(analysis, given, region.scope)):
            return True
    return False
