"""Whether a function of one slice of an array is made of operations that take all slices at once.

The function's body is walked with slices in place of its parameters. Whatever is not known to
take a batch, or makes shapes depend on the data, ends the walk: then nothing is said. Unlike
`batching`, which asks whether the function can be given a batch as it stands, this asks whether
it can be rewritten: axes may be named, shapes extended, choices made element by element.
"""

from __future__ import annotations

import ast
from typing import NoReturn

from msgspec import Struct

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph, interpretation
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.vectorization import slices
from deepperf.semantics.vectorization.row_expressions import Expressions
from deepperf.semantics.vectorization.row_kinds import (
    BESIDE,
    COUNTER,
    SLICE,
    Kind,
    Names,
    RowOperation,
    Unfit,
    picks,
    touches,
)
from deepperf.semantics.vectorization.row_walk import Walk
from deepperf.semantics.vectorization.slices import Taken


class RowWork(Struct, frozen=True):
    """The operations of a function of one slice, all of which take a batch."""

    operations: tuple[RowOperation, ...]
    is_nested: bool  # whether another map stands inside
    chooses: bool  # whether a condition on the slice decides
    has_loops: bool  # whether statements of it turn

    @property
    def may_look_up(self) -> bool:
        """Whether what it picks items of may be a dictionary, which takes one key at a time."""
        return any(operation.may_look_up for operation in self.operations)

    @property
    def forms(self) -> tuple[str, ...]:
        """Clauses that say how the operations take all slices, the less obvious ones first."""
        said: dict[str, None] = {}
        for operation in self.operations:
            if operation.fact is not None and operation.fact.batched_form:
                said[operation.fact.batched_form.format(op=f"`{operation.called}`")] = None
        if self.chooses:
            said["`where` selects element by element"] = None
        used = {operation.called for operation in self.operations if operation.fact is None}
        if "[]" in used:
            said["`gather` takes all indices at once"] = None
        if plain := used - {"[]"}:
            named = " and ".join(f"`{sign}`" for sign in ("//", "%") if sign in plain)
            signs = "comparisons" if "comparison" in plain else "operators"
            said[f"{named or signs} broadcast over whole arrays"] = None
        return tuple(said) or ("they are elementwise",)


def of_function(analysis: Analysis, node: ast.expr, scope: Scope) -> RowWork | None:
    """The work of the callable that an expression holds; None where a part is unfit or unknown."""
    nothing: RowWork | None = None
    return analysis.remember(
        ("row work", node), lambda: _of_function(analysis, node, scope, [SLICE]), nothing
    )


_MOST_FUNCTIONS = 24
_KINDS: dict[Taken, Kind] = {Taken.FIXED: BESIDE, Taken.COUNTER: COUNTER, Taken.SLICE: SLICE}


def of_call(analysis: Analysis, site: CallSite, loop: Frame) -> RowWork | None:
    """The work of a call, of a function of the project, that each iteration of a loop makes.

    It is given slices, the iteration's number, and what stays the same.
    """
    nothing: RowWork | None = None
    if site.node.keywords or not site.node.args:
        return nothing
    taken = [slices.taken(analysis, argument, site.scope, loop) for argument in site.node.args]
    if any(kind not in _KINDS for kind in taken):
        return nothing
    if _reads_written(analysis, site, loop):
        return nothing
    given = [_KINDS[kind] for kind in taken]
    return analysis.remember(
        ("row work of call", site.node, loop.node),
        lambda: _of_function(analysis, site.node.func, site.scope, given),
        nothing,
    )


def _reads_written(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether a method that the call runs reads an attribute that the loop's iterations write."""
    names = induction.turning(site.scope, (loop,)).written
    written = {name.rpartition(".")[2] for name in names if "." in name}
    pending, seen = [site], {site.scope}
    while pending and written:
        for target in callgraph.targets(analysis, pending.pop()):
            function = target.function
            if function in seen or len(seen) > _MOST_FUNCTIONS:
                continue
            seen.add(function)
            analysis.module_of(function)
            pending += function.calls
            if any(
                isinstance(part, ast.Attribute) and part.attr in written
                for part in tree.walk(function.node)
            ):
                return True
    return False


def _of_function(
    analysis: Analysis, node: ast.expr, scope: Scope, given: list[Kind]
) -> RowWork | None:
    walk = Walk(analysis, _returned)
    try:
        if picks(walk.applied(node, scope, given, {}, 0)):
            return None
    except (Unfit, RecursionError):
        return None
    if not any(op.fact is None or Trait.VIEWS not in op.fact.traits for op in walk.operations):
        return None
    return RowWork(tuple(walk.operations), walk.is_nested, walk.chooses, walk.has_loops)


def _returned(walk: Walk, function: Scope, names: Names, depth: int) -> Kind:
    """What a function returns whose parameters have these kinds."""
    return interpretation.returned(_Judge(walk, function, depth), function, names, depth)


class _Judge(Expressions):
    """What one function of the walk gives."""

    __slots__ = ()

    def updated(self, node: ast.AugAssign, names: Names) -> Kind:
        if not isinstance(node.target, ast.Name):
            raise Unfit
        read = ast.Name(node.target.id, ast.Load())
        return self.combined(node, [read, node.value], names)

    def element_of(self, iterable: ast.expr, names: Names) -> Kind:
        self.walk.has_loops = True
        return self.items(iterable, names)

    def rests_on_data(self, test: ast.expr, names: Names) -> bool:
        found = touches(self.data(test, names))
        self.walk.chooses = self.walk.chooses or found
        return found

    def outcome(self, _test: ast.expr, _names: Names) -> bool | None:
        return None

    def either(self, first: Kind, second: Kind, _node: ast.stmt) -> Kind:
        return self.joined([second, first])

    def result(self, kinds: list[Kind]) -> Kind:
        return self.joined(kinds)

    def refuse(self) -> NoReturn:
        raise Unfit


__all__ = ["RowOperation", "RowWork", "of_call", "of_function"]
