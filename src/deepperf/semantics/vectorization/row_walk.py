"""A walk through a function of one slice and what it calls, and what it has found on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable

from msgspec import Struct, field

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, parameters
from deepperf.semantics.text import positions
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Value
from deepperf.semantics.vectorization.row_kinds import (
    BESIDE,
    SLICE,
    Kind,
    Names,
    RowOperation,
    Unfit,
)

NEVER = frozenset((Trait.RANDOM, Trait.DECODES, Trait.READS_FILE, Trait.CALLS_PYTHON))
NEVER |= frozenset((Trait.WRITES_STATE, Trait.READS_STATE, Trait.PRINTS, Trait.SYNCS_HOST))
_TAKEN = frozenset((Trait.ELEMENTWISE, Trait.ALONG_AXIS, Trait.BATCHED, Trait.VIEWS, Trait.CASTS))
_REDUCERS = frozenset(("builtins.abs", "builtins.max", "builtins.min", "builtins.sum"))


class Walk(Struct):
    """One walk through a function and the functions that it calls.

    `enter` gives what a function returns, of parameters of these kinds, at this depth.
    """

    analysis: Analysis
    enter: Callable[[Walk, Scope, Names, int], Kind]
    operations: list[RowOperation] = field(default_factory=list)
    is_nested: bool = False
    has_loops: bool = False
    chooses: bool = False

    def applied(
        self, node: ast.expr, scope: Scope, given: list[Kind], outer: Names, depth: int
    ) -> Kind:
        """What the callable that `node` holds gives for these arguments."""
        held = values.evaluate(self.analysis, node, scope)
        targets = callgraph.targets_of(self.analysis, held)
        if len(targets) == 1 and len(held) == 1:
            bound, by_name = self.preset(held)
            return self.entered(targets[0], [*bound, *given], by_name, outer, depth)
        term = callgraph.partial_of(self.analysis, held)
        inner = held if term is None else callgraph.wrapped(self.analysis, term)
        fact = callgraph.fact_of(self.analysis, inner)
        if targets or fact is None or not takes_batch(fact):
            raise Unfit
        self.note(node, fact)
        return SLICE

    def preset(self, held: Value) -> tuple[list[Kind], dict[str, Kind]]:
        """The arguments that `functools.partial` has given, all beside the slice."""
        term = callgraph.partial_of(self.analysis, held)
        if term is None or not isinstance(term.site, ast.Call):
            return [], {}
        bound: list[Kind] = [BESIDE for _ in term.site.args[1:]]
        return bound, {keyword.arg: BESIDE for keyword in term.site.keywords if keyword.arg}

    def entered(
        self,
        target: callgraph.Target,
        given: list[Kind],
        by_name: dict[str, Kind],
        outer: Names,
        depth: int,
    ) -> Kind:
        """What a function of the project gives; `outer` are the names around its definition."""
        function, node = target.function, target.function.node
        if isinstance(node, (ast.Module, ast.ClassDef)) or node.args.vararg or node.args.kwarg:
            raise Unfit
        self.analysis.module_of(function)
        names = dict(outer)
        names.update({argument.arg: BESIDE for argument in parameters(node)})
        listed = [*node.args.posonlyargs, *node.args.args][target.shift :]
        if len(given) > len(listed):
            raise Unfit
        names.update({a.arg: kind for a, kind in zip(listed, given, strict=False)})
        names.update(by_name)
        return self.enter(self, function, names, depth)

    def note(self, node: ast.expr, fact: Fact | None) -> None:
        self.operations.append(RowOperation(positions.shortened(ast.unparse(node)), fact))


def takes_batch(fact: Fact) -> bool:
    """Whether an operation takes all slices at once."""
    if fact.framework == "jax":  # all that its tracers take, `vmap` takes
        return Trait.COMPUTES in fact.traits and fact.traits.isdisjoint(
            (Trait.TRACES_ARGUMENT, Trait.CALLS_PYTHON)
        )
    if fact.name in _REDUCERS:
        return True
    return not fact.traits.isdisjoint(_TAKEN) and fact.traits.isdisjoint(NEVER)
