"""How the places come about that the iterations of a loop write to, and how large they are."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction
from deepperf.semantics.loops.induction import Turning, Way
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.vectorization.array_writes import Setting, Write


def masks_row(analysis: Analysis, write: Write, turns: Turning) -> bool:
    """Whether it sets the places before or behind one of the iteration's own to what is always the
    same.

    All such rows are one comparison of the places' numbers with the bounds.
    """
    bounds = [
        index.lower or index.upper
        for index in write.indices
        if isinstance(index, ast.Slice)
        and index.step is None
        and (index.lower is None) != (index.upper is None)
    ]
    others = [i for i in write.indices if way_of_index(analysis, i, turns) is Way.OTHER]
    if len(bounds) != 1 or len(others) != 1 or not isinstance(others[0], ast.Slice):
        return False
    is_same = write.setting is Setting.MARKS or (
        write.setting is Setting.SETS
        and isinstance(write.value, ast.Name)
        and induction.way(analysis, write.value, turns) is Way.FIXED
    )
    bound = bounds[0]
    return is_same and bound is not None and induction.way(analysis, bound, turns) is Way.OWN


def way_of_index(analysis: Analysis, index: ast.expr, turns: Turning) -> Way:
    """How an index of one place comes about; what may be many places is `OTHER`."""
    if isinstance(index, ast.Slice):
        whole = index.lower is None and index.upper is None
        return Way.FIXED if whole else Way.OTHER
    if isinstance(index, ast.Constant) and index.value in (None, ...):
        return Way.FIXED
    finding = analysis.project.trigger_names(frozenset((Trait.FINDS_PLACES,)))
    if any(
        _is_mask(part, finding)
        or _is_picked(analysis, part, turns, finding)
        or _is_member_picked(analysis, part, turns)
        for part in tree.walk(index)
    ):
        return Way.OTHER
    return induction.way(analysis, index, turns)


def _is_mask(node: ast.AST, finding: frozenset[str]) -> bool:
    """Whether part of an index makes a mask or a list of places of it, or lists them itself."""
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        return name in ("arange", "astype", "bool", "to", "where") or name in finding
    return isinstance(node, ast.Compare) or isinstance(getattr(node, "op", None), ast.Invert)


def _is_picked(analysis: Analysis, node: ast.AST, turns: Turning, finding: frozenset[str]) -> bool:
    """Whether it names what a mask of the iteration's picks, or what is found: any number of
    places.
    """
    if not isinstance(node, ast.Name):
        return False
    for value in _given(analysis, node, turns):
        if isinstance(value, ast.Call) and last_name(value.func) in finding:
            return True
        if isinstance(value, ast.Subscript):
            choices = [value.slice]
            if isinstance(value.slice, ast.Name):
                choices += _given(analysis, value.slice, turns)
            if any(_is_mask(part, finding) for one in choices for part in tree.walk(one)):
                return True
    return False


def _is_member_picked(analysis: Analysis, node: ast.AST, turns: Turning) -> bool:
    """Whether it is out of a list of parts of arrays, each picked by what may be a mask.

    `[x[mask] for x, mask in zip(xs, masks)]` is one, and so is each of several made by turns.
    """
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return False
    found = values.definitions_of(analysis, node.value, turns.scope)
    return bool(found) and all(_lists_picked(definition) for definition in found)


def _lists_picked(definition: Definition) -> bool:
    made = definition.value
    if definition.unpacking and isinstance(made, ast.GeneratorExp):
        made = made.elt
    if not isinstance(made, ast.ListComp) or not isinstance(made.elt, ast.Subscript):
        return False
    own = {
        part.id
        for generator in made.generators
        for part in tree.walk(generator.target)
        if isinstance(part, ast.Name)
    }
    return {getattr(part, "id", "") for part in (made.elt.value, made.elt.slice)} <= own


def _given(analysis: Analysis, node: ast.Name, turns: Turning) -> list[ast.expr]:
    """What the iteration assigns to a name, one of several side by side too."""
    found: list[ast.expr] = []
    for definition in induction.inner_definitions(analysis, node, turns):
        value = definition.value
        if definition.binding is not Binding.ASSIGNED or value is None:
            continue
        for place in definition.unpacking:
            if isinstance(value, (ast.Tuple, ast.List)) and place < len(value.elts):
                value = value.elts[place]
        found.append(value)
    return found
