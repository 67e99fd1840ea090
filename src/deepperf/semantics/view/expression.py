"""An expression as rules see it: what it may hold."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics import view
from deepperf.semantics.calls import callers, callgraph, effects
from deepperf.semantics.calls.effects import Effect
from deepperf.semantics.data import batching, entries, workload
from deepperf.semantics.data.batching import Batching
from deepperf.semantics.data.workload import Workload
from deepperf.semantics.execution import graph_state
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import steady
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops import lengths, regions
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.sizes import array_shapes, dimensions, numbers
from deepperf.semantics.text import positions
from deepperf.semantics.values import classes, origins, values
from deepperf.semantics.values.terms import (
    Argument,
    Display,
    Instance,
    Literal,
    Object,
    Value,
)
from deepperf.semantics.vectorization import keeping, rowwise, slices
from deepperf.semantics.vectorization.rowwise import RowWork
from deepperf.semantics.vectorization.slices import Taken
from deepperf.semantics.view.spot import Spot

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, Function, Loop


class Expression(Spot):
    """An expression of the program."""

    def __init__(self, analysis: Analysis, node: ast.expr, scope: Scope) -> None:
        self._analysis = analysis
        self._node: ast.expr = node
        self._scope = scope

    @cached_property
    def _value(self) -> Value:
        return values.evaluate(self._analysis, self._node, self._scope)

    @property
    def literal(self) -> object:
        """The one constant that it holds; None when it is not certain (or is None)."""
        if len(self._value) == 1 and isinstance(self._value[0], Literal):
            return self._value[0].value
        return None

    @property
    def is_left_none(self) -> bool:
        """Whether it is None, or a parameter that is None where calls of the project leave it."""
        given = [term for term in self._value if isinstance(term, Argument)]
        others = [term for term in self._value if not isinstance(term, Argument)]
        return (
            bool(others)
            and all(isinstance(term, Literal) and term.value is None for term in others)
            and all(self._is_left_out(term.scope) for term in given)
        )

    def _is_left_out(self, function: Scope) -> bool:
        """Whether calls of a function are known, of which none may pass more than is seen."""
        sites = callers.callers(self._analysis, function)
        return bool(sites) and not any(callgraph.has_unpacked_arguments(s.node) for s in sites)

    @cached_property
    def types(self) -> frozenset[str]:
        """The external types, bases included, that the objects it may hold are of."""
        return frozenset(
            name
            for term in self._value
            if isinstance(term, (Instance, Object))
            for name in classes.instance_type(self._analysis, term)
        )

    def made_by(self) -> tuple[Call, ...]:
        """The framework calls, anywhere in the project, that made what it may hold."""
        found = []
        for term in self._value:
            if isinstance(term, Instance) and isinstance(term.site, ast.Call):
                site = self._analysis.site_of(term.site, term.scope)
                if site is not None:
                    found.append(view.Call(self._analysis, site))
        return tuple(found)

    @property
    def is_variable(self) -> bool:
        """Whether it may hold a variable of TensorFlow or Keras."""
        return "tensorflow.Variable" in self.types

    @property
    def is_tensor(self) -> bool:
        """Whether it may hold a tensor of TensorFlow or Keras, or a variable."""
        return self.is_variable or "tensorflow.Tensor" in self.types

    def origins(self) -> tuple[Call, ...]:
        """The calls that the data it holds may have come from or gone through, nearest first."""
        return tuple(
            view.Call(self._analysis, site)
            for node, scope in origins.origins(self._analysis, self._node, self._scope)
            if (site := self._analysis.site_of(node, scope)) is not None
        )

    @property
    def sizes(self) -> tuple[int | None, ...] | None:
        """The shape of the array that it holds, when the text tells how many axes it has."""
        return array_shapes.array_shape(self._analysis, self._node, self._scope)

    @property
    def rows(self) -> int | None:
        """How long the first axis of the array is that it holds, when the text tells."""
        whole = array_shapes.array_shape(self._analysis, self._node, self._scope)
        return whole[0] if whole else None

    @property
    def measured(self) -> Expression | None:
        """The array whose length it is."""
        found = dimensions.measured(self._analysis, self._node, self._scope)
        return Expression(self._analysis, *found) if found is not None else None

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The elements of the tuple that it is; none where it is written otherwise."""
        if not isinstance(self._node, ast.Tuple):
            return ()
        return tuple(Expression(self._analysis, node, self._scope) for node in self._node.elts)

    @property
    def is_written_out(self) -> bool:
        """Whether it holds a list or tuple that is written out, element by element."""
        return bool(self._value) and all(
            isinstance(term, Display)
            and isinstance(term.node, (ast.List, ast.Tuple))
            and bool(term.node.elts)
            for term in self._value
        )

    def functions(self) -> tuple[Function, ...]:
        """The functions of the project that calling it may run."""
        return tuple(
            view.Function(self._analysis, target.function)
            for target in callgraph.targets_of(self._analysis, self._value)
        )

    @property
    def maps_side_by_side(self) -> bool:
        """Whether all functions that calling it may run map datasets, in parallel."""
        functions = self.functions()
        return bool(functions) and all(one.maps_side_by_side for one in functions)

    def facts(self) -> tuple[Fact, ...]:
        """What is known of the external callables that it may be."""
        found = (
            self._analysis.knowledge.fact(name) for name in callgraph.external_names(self._value)
        )
        return tuple(fact for fact in found if fact is not None)

    @property
    def effects(self) -> frozenset[Effect]:
        """What calling it may do."""
        if not self._value:
            return effects.UNKNOWN_EFFECTS
        return frozenset().union(*(effects.of_term(self._analysis, term) for term in self._value))

    @property
    def callable_name(self) -> str:
        """How a message names the function that it is, in quotes where that is code."""
        call = self.call
        if call is not None and call.has(Trait.WRAPS_FUNCTION):
            inner = call.argument(ParameterRole.FUNCTION)
            if inner is not None:
                return inner.callable_name
        text = self.text
        return f"`{text}`" if len(text) <= positions.LONGEST_QUOTE else "its function"

    @property
    def entries(self) -> frozenset[str] | None:
        """Which entries of an element the function works with; None where it may be any."""
        return entries.of_function(self._analysis, self._node, self._scope)

    @property
    def entries_asked(self) -> frozenset[str] | None:
        """The same, where it is a predicate."""
        return entries.of_predicate(self._analysis, self._node, self._scope)

    @property
    def batching(self) -> Batching:
        """How the function that it is does on a batch of what it is given now."""
        return batching.of_value(self._analysis, self._node, self._scope).batching

    @property
    def row_work(self) -> RowWork | None:
        """What the function that it is does with one slice, if all of that takes a batch."""
        return rowwise.of_function(self._analysis, self._node, self._scope)

    @property
    def is_ragged(self) -> bool:
        """Whether it may hold a tensor that is ragged or sparse."""
        return not self.types.isdisjoint(("tensorflow.RaggedTensor", "tensorflow.SparseTensor"))

    @property
    def length(self) -> int | None:
        """How many elements it has at most, when the text tells."""
        return lengths.length(self._analysis, self._node, self._scope)

    def stateful_parts(self) -> tuple[Expression, ...]:
        """The parts of the function that it is, callees included, that make stateful operations.

        What the function does only while it is traced is not among them.
        """
        return tuple(
            Expression(self._analysis, node, scope)
            for node, scope in graph_state.stateful_places(self._analysis, self._node, self._scope)
        )

    @property
    def workload(self) -> Workload:
        """How much the function that it is does for one element."""
        return workload.of_value(self._analysis, self._node, self._scope)

    @property
    def is_number(self) -> bool:
        """Whether it is a single number each time, as far as the text tells."""
        return numbers.is_number(self._analysis, self._node, self._scope)

    def taken_in(self, loop: Loop) -> Taken:
        """What of its iteration it rests on, in the body of a loop of the same function."""
        return slices.taken(self._analysis, self._node, self._scope, loop._frame)

    def may_differ_evenly_in(self, loop: Loop) -> bool:
        """Whether it may be a slice of the loop's iteration, or rest on its number."""
        return slices.may_differ_evenly(self._analysis, self._node, self._scope, loop._frame)

    def names_turn_of(self, loop: Loop) -> bool:
        """Whether, by its text, it may be another in each iteration; else it is `FIXED` or
        `OTHER`.
        """
        return keeping.reads_turn(self._analysis, self._node, loop._frame)

    def same_object_in(self, loop: Loop) -> Certainty:
        """Whether it leads to one object in each iteration of a loop of the same function.

        What the iterations do to that object does not matter.
        """
        region = regions.region_of_loop(self._analysis, loop._frame)
        return steady.same_object(self._analysis, self._node, region)

    @property
    def call(self) -> Call | None:
        """The expression as a call, when it is one."""
        if isinstance(self._node, ast.Call):
            site = self._analysis.site_of(self._node, self._scope)
            return view.Call(self._analysis, site) if site is not None else None
        return None
