"""A function as rules see it, and its decorators."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.records import Location
from deepperf.semantics import view
from deepperf.semantics.calls import callers, effects, reach
from deepperf.semantics.calls.effects import Effect
from deepperf.semantics.data import pipelines
from deepperf.semantics.execution import answering, contexts, graphs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.text import positions
from deepperf.semantics.values import classes
from deepperf.semantics.view.spot import Spot

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, Expression

_TRAINING = frozenset((Trait.STEPS_TRAINING, Trait.FITS))


class Decoration(Spot):
    """A decorator on a function."""

    def __init__(
        self, analysis: Analysis, node: ast.expr, function: Scope, fact: Fact | None
    ) -> None:
        assert function.parent is not None
        self._analysis = analysis
        self._node = node
        self._scope = function.parent
        self._function = function
        self.fact = fact

    def has(self, trait: Trait) -> bool:
        return self.fact is not None and trait in self.fact.traits

    @property
    def decorated(self) -> Function:
        return Function(self._analysis, self._function)


class Function(Spot):
    """A function, method or lambda of the project."""

    def __init__(self, analysis: Analysis, scope: Scope) -> None:
        self._analysis = analysis
        self._node = scope.node
        self._own = scope
        self._scope = scope.parent or scope

    @property
    def name(self) -> str:
        return self._own.name

    def opens_to_answer(self, call: Call) -> bool:
        """Whether it is a method that opens a session, by `call`, each time that it is asked."""
        return answering.opens_to_answer(self._analysis, call._site)

    @property
    def qualified_name(self) -> str:
        return self._own.qualified_name

    @property
    def location(self) -> Location:
        return positions.definition_location(self._analysis.module_of(self._own), self._own)

    @property
    def is_method(self) -> bool:
        return classes.enclosing_class(self._own) is not None

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls in its own body."""
        return tuple(view.Call(self._analysis, site) for site in self._own.calls)

    @property
    def returns(self) -> tuple[Expression, ...]:
        return tuple(view.Expression(self._analysis, node, self._own) for node in self._own.returns)

    @property
    def effects(self) -> frozenset[Effect]:
        """What calling it may do, its callees included."""
        return effects.of_function(self._analysis, self._own)

    @property
    def decorations(self) -> tuple[Decoration, ...]:
        return tuple(
            Decoration(self._analysis, node, self._own, fact)
            for node, fact in contexts.decorations(self._analysis, self._own)
        )

    @property
    def is_traced(self) -> bool:
        """Whether its Python body runs only while a framework traces it."""
        return contexts.is_traced(self._analysis, self._own)

    @property
    def starts_graph(self) -> bool:
        """Whether each call of it makes a graph of its own, or empties the default one."""
        return graphs.function_starts_graph(self._analysis, self._own)

    @property
    def trains(self) -> bool:
        """Whether a call of it takes steps of a training, in functions that it calls too."""
        return bool(reach.sites_of(self._analysis, self._own, _TRAINING)) or any(
            last_name(site.node.func) == "fit" and len(site.node.args) > 1
            for site in self._own.calls
        )

    @property
    def runs_apart(self) -> bool:
        """Whether its body runs only while traced, or as Python inside the runtime."""
        return graphs.runs_apart(self._analysis, self._own)

    def callers(self) -> tuple[Call, ...]:
        """The calls in the project that are known to run it."""
        return tuple(
            view.Call(self._analysis, site) for site in callers.callers(self._analysis, self._own)
        )

    def handed_to(self) -> tuple[Call, ...]:
        """The framework calls that are given it as the function to apply, trace or compile."""
        return tuple(
            view.Call(self._analysis, site)
            for site, _ in contexts.handed_to(self._analysis, self._own)
        )

    @property
    def is_interleaved(self) -> bool:
        """Whether it gives the inputs of an interleaving of several, and nothing else calls it."""
        joining = [
            view.Call(self._analysis, s) for s in pipelines.joining(self._analysis, self._own)
        ]
        cycles = [
            call.argument(ParameterRole.CYCLE_LENGTH)
            for call in (*self.handed_to(), *joining)
            if call.takes(ParameterRole.CYCLE_LENGTH)
        ]
        is_wide = any(cycle is None or cycle.literal != 1 for cycle in cycles)
        return is_wide and not self.callers()

    @property
    def maps_side_by_side(self) -> bool:
        """Whether it maps datasets, callees included, and each of these maps is made parallel."""
        sites = reach.sites_of(self._analysis, self._own, frozenset((Trait.MAPS_ELEMENTS,)))
        given = [
            view.Call(self._analysis, site).argument(ParameterRole.PARALLELISM) for site in sites
        ]
        return bool(given) and all(one is not None and not one.is_left_none for one in given)

    def is_run_for_each_row(self, steps: int = 2) -> bool:
        """Whether it is mapped over the slices of an array and could take all of them at once.

        So it is where nothing but such a function calls it.
        """
        if any(
            outer.has(Trait.MAPS_ROWS)
            and (given := outer.argument(ParameterRole.FUNCTION)) is not None
            and given.row_work is not None
            for outer in self.handed_to()
        ):
            return True
        callers = [caller.function for caller in self.callers()] if steps else []
        return bool(callers) and all(
            function is not None and function.is_run_for_each_row(steps - 1) for function in callers
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self._own is other._own

    def __hash__(self) -> int:
        return hash(id(self._own))
