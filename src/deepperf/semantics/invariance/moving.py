"""Objects of unknown kinds that a loop moves on: a film along its frames, a world by its steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names.scopes import last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Argument, Instance, Term, Unknown

_LISTINGS = members.MAPPING_LISTINGS | members.ROW_LISTINGS | members.MODEL_LISTINGS
_LISTINGS |= members.FRAME_MEMBERS | {"chunk", "split", "unbind"}
"""Methods that list what is there, and leave it as it is."""
_HANDING_ON = frozenset(("enumerate", "filter", "islice", "iter", "map", "tqdm", "zip"))


def moves_on(analysis: Analysis, node: ast.expr, region: Region) -> bool:
    """Whether an attribute is one of an object that the loop moves on, or of what that gave.

    In each iteration of `for frame in film.frames():`, `film.time` is another, and so is what was
    selected in the film, `atoms = film.select(…)`, when `atoms.positions` are read.
    """
    if region.loop is None or not isinstance(node, ast.Attribute):
        return False
    iterable = loops.iterable_of(region.loop)
    if iterable is None:
        return False
    return _is_of_giver(analysis, node, iterable, region) or _was_given(
        analysis, node, iterable, region
    )


def _is_of_giver(
    analysis: Analysis, node: ast.Attribute, iterable: ast.expr, region: Region
) -> bool:
    read = tree.chain_of(node) or ()
    return any(
        (chain := tree.chain_of(method.value)) is not None
        and read[: len(chain)] == chain
        and method.attr not in _LISTINGS
        and _is_of_unknown_kind(analysis, method.value, region)
        for method in _givers(iterable)
    )


def _givers(iterable: ast.expr) -> Iterator[ast.Attribute]:
    """The methods that give what a loop goes over: `world.frames` of `world.frames()`."""
    pending = [iterable]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            yield part.func
        elif isinstance(part, ast.Call) and last_name(part.func) in _HANDING_ON:
            pending += part.args


def _was_given(analysis: Analysis, node: ast.Attribute, iterable: ast.expr, region: Region) -> bool:
    root = tree.owner_of(node)
    gone_over = {
        part.value.id
        for part in tree.walk(iterable)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
    }
    if not gone_over or not isinstance(root, ast.Name):
        return False
    return any(
        isinstance(made := definition.value, ast.Call)
        and isinstance(made.func, ast.Attribute)
        and isinstance(made.func.value, ast.Name)
        and made.func.value.id in gone_over
        and _is_of_unknown_kind(analysis, made.func, region)
        for definition in values.definitions_of(analysis, root, region.scope)
    )


def _is_of_unknown_kind(analysis: Analysis, node: ast.expr, region: Region) -> bool:
    held = values.evaluate(analysis, node, region.scope)
    return all(_tells_nothing(analysis, term) for term in held)


def _tells_nothing(analysis: Analysis, term: Term) -> bool:
    if isinstance(term, Instance):
        return analysis.knowledge.type(term.type) is None
    return isinstance(term, (Argument, Unknown))
