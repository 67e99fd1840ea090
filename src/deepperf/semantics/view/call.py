"""A call as rules see it: what is called, with what, where."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics import view
from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.calls.effects import Effect
from deepperf.semantics.data import gathering, pipelines, shown
from deepperf.semantics.execution import (
    asked_runs,
    eagerness,
    graphs,
    own_graphs,
    same_place,
    sessions,
)
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import once
from deepperf.semantics.models import layers
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, last_name
from deepperf.semantics.text import positions, tree
from deepperf.semantics.values.terms import Method, Value
from deepperf.semantics.vectorization import comparing, keeping, rowwise
from deepperf.semantics.vectorization.rowwise import RowWork
from deepperf.semantics.vectorization.slices import Taken, has_own_size
from deepperf.semantics.view.spot import Spot

if TYPE_CHECKING:
    from deepperf.semantics.view import Expression, Function, Layer, Loop, LoopPath, RequestPath


class Call(Spot):
    """A call expression; `told` is what is known of it by how its array is used."""

    def __init__(self, analysis: Analysis, site: CallSite, told: Fact | None = None) -> None:
        self._told = told
        self._analysis = analysis
        self._site = site
        self._node: ast.Call = site.node
        self._scope = site.scope

    @cached_property
    def _callee(self) -> Value:
        return callgraph.callee(self._analysis, self._site)

    @cached_property
    def name(self) -> str | None:
        """The canonical name of the external callable, when it can be only one."""
        names = set(callgraph.external_names(self._callee))
        return names.pop() if len(names) == 1 else None

    @cached_property
    def fact(self) -> Fact | None:
        return self._told or callgraph.fact_of(self._analysis, self._callee)

    @property
    def framework(self) -> str:
        return self.fact.framework if self.fact is not None else ""

    def has(self, trait: Trait) -> bool:
        return self.fact is not None and trait in self.fact.traits

    @property
    def calls_what_is_made(self) -> bool:
        """Whether what it calls is made where it is called, as in `Dense(8)(x)`."""
        return isinstance(self._site.node.func, ast.Call)

    @property
    def called(self) -> str:
        """The callee as the user wrote it, on one line, shortened: `….map` for a long chain."""
        source = view.Expression(self._analysis, self._node.func, self._scope).source
        text = " ".join(source.split())
        is_long = "\n" in source or len(text) > positions.LONGEST_QUOTE
        if is_long and isinstance(self._node.func, ast.Attribute):
            return f"….{self._node.func.attr}"
        return positions.shortened(text)

    @property
    def last_name(self) -> str:
        """The last name of the callee as written: `map` of `ds.map(f)`."""
        return last_name(self._node.func) or ""

    # Arguments

    @property
    def unpacks(self) -> bool:
        """Whether `*args` or `**kwargs` may hide arguments."""
        return callgraph.has_unpacked_arguments(self._node)

    def argument(self, *roles: ParameterRole) -> Expression | None:
        """What the call passes for the parameter of one of these roles."""
        if self.fact is None:
            return None
        given = (callgraph.role_argument(self._node, self.fact, role) for role in roles)
        return self._expression(next((node for node in given if node is not None), None))

    def takes(self, *roles: ParameterRole) -> str | None:
        """The name of the callee's parameter of one of these roles."""
        listed = self.fact.parameters if self.fact is not None else ()
        return next((parameter.name for parameter in listed if parameter.role in roles), None)

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """All arguments, positional ones first."""
        nodes = tree.arguments(self._node)
        return tuple(view.Expression(self._analysis, node, self._scope) for node in nodes)

    @property
    def receiver(self) -> Expression | None:
        """The object whose method is called; None for functions of modules."""
        if not isinstance(self._node.func, ast.Attribute):
            return None
        if self._told is None and not any(isinstance(term, Method) for term in self._callee):
            return None
        return self._expression(self._node.func.value)

    @property
    def data(self) -> Iterator[Expression]:
        """All arguments, and last the object whose method is called."""
        yield from self.arguments
        if self.receiver is not None:
            yield self.receiver

    @property
    def callee(self) -> Expression:
        return view.Expression(self._analysis, self._node.func, self._scope)

    @property
    def result(self) -> Expression:
        return view.Expression(self._analysis, self._node, self._scope)

    def _expression(self, node: ast.expr | None) -> Expression | None:
        return None if node is None else view.Expression(self._analysis, node, self._scope)

    @property
    def applied(self) -> Call:
        """The transformation that it applies, as in `dataset.apply(unbatch())`; else itself."""
        return Call(self._analysis, pipelines.applied(self._analysis, self._site))

    @property
    def trained_on_by(self) -> Call | None:
        """The training that takes the elements of the dataset that it starts, as they are."""
        found = gathering.fitted(self._analysis, self._site)
        return Call(self._analysis, found) if found is not None else None

    @property
    def dataset_size(self) -> int | None:
        """How many elements the dataset has that it makes or transforms, if the text tells."""
        return pipelines.size(self._analysis, self._site)

    def is_made_of_few(self, most: int) -> bool:
        """Whether what the dataset is made of is a few numbers or texts of the program itself."""
        made = self.receiver.origins() if self.receiver is not None else ()
        if any(one.has(Trait.READS_FILE) for one in made):
            return False  # a single name may be that of a file of millions
        lengths = [argument.length for one in made for argument in one.arguments]
        return bool(lengths) and all(length is not None and length <= most for length in lengths)

    # Not kept: the layer knows its call, and what knows each other stays in memory for good.
    @property
    def layer(self) -> Layer | None:
        """The layer that it makes, if that is one whose settings are understood."""
        settings = layers.settings_at(self._analysis, self._node, self._scope)
        return view.Layer(self, settings) if settings is not None else None

    @property
    def may_tell_size(self) -> bool:
        """Whether, by texts alone, the size of the layer that it makes may be found out."""
        return layers.may_tell_size(self._analysis, self._node, self._scope)

    # Surroundings

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The loops and comprehensions of its function around it, outermost first."""
        return tuple(
            view.Loop(self._analysis, frame) for frame in self._site.frames if frame.is_loop
        )

    def repeats(self) -> Iterator[LoopPath]:
        """The loops that run it again in their iterations, nearest first.

        All loops of each function on the way are named; those in which it runs once, because
        of a guard, a cache or an exit from the loop, are left out.
        """
        for frame, sites in graphs.repeats(self._analysis, self._site):
            calls = tuple(Call(self._analysis, site) for site in sites)
            yield view.LoopPath(view.Loop(self._analysis, frame), calls)

    def repeats_or_serves(self) -> Iterator[LoopPath]:
        """The same, and last the request handler that runs it, each request as an iteration."""
        yield from self.repeats()
        for handler, ways in filter(None, [sessions.request_path(self._analysis, self._site)]):
            loop = view.Loop(self._analysis, Frame(handler.node, Branch.BODY, handler))
            yield view.LoopPath(loop, tuple(Call(self._analysis, site) for site in ways))

    def row_work_in(self, loop: Loop) -> RowWork | None:
        """What the function that it runs does in each iteration, if all of that takes a batch."""
        return rowwise.of_call(self._analysis, self._site, loop._frame)

    def is_kept_by(self, loop: Loop) -> bool:
        """Whether what it gives is kept, one result per iteration of the loop, or added up."""
        return keeping.is_kept(self._analysis, self._site, loop._frame)

    def compares_pairs(self, loop: Loop) -> bool:
        """Whether it compares what loops are about, two by two, or one with all of an array."""
        return comparing.compares(self._analysis, self._site, loop._frame)

    @property
    def is_shown(self) -> bool:
        """Whether all that is taken of what its pipeline gives is a few elements, to be seen."""
        return shown.is_shown(self._analysis, self._site)

    def works_on(self, whole: Expression) -> bool:
        """Whether it trains on this array, or makes batches of a dataset over it."""
        fits = self.has(Trait.FITS)
        data = self.argument(ParameterRole.INPUT) if fits else self.receiver
        if data is None:
            return False
        if data.text == whole.text:
            return True
        started = (made for made in data.origins() if made.has(Trait.CREATES_DATASET))
        given = (argument for made in started for argument in made.arguments)
        return any(part.text == whole.text for one in given for part in (one, *one.parts))

    # What it does to slices

    def taken_in(self, loop: Loop) -> Taken:
        """What of an iteration of the loop it is given; of what lists hold nothing more is found
        out.
        """
        node, scope = self._site.node, self._site.scope
        if self.unpacks or has_own_size(self._analysis, node, scope, loop._frame):
            return Taken.OTHER
        found, data = Taken.FIXED, list(self.data)
        own = [part for part in data if part.names_turn_of(loop)]
        if own and not any(part.may_differ_evenly_in(loop) for part in own):
            return Taken.ELEMENT
        for part in (*own, *(part for part in data if part not in own)):
            # What the iterations share makes nothing a slice, and may take long to find out about.
            if part not in own and found not in (Taken.SLICE, Taken.COUNTER):
                return found
            kind = part.taken_in(loop)
            if kind is Taken.OTHER:  # nothing after it could make up for it
                return kind
            if kind is Taken.ELEMENT and self.fact is not None and not self.has(Trait.BATCHED):
                return kind
            found = max(found, kind)
        return found

    def is_given_numbers_in(self, loop: Loop) -> bool:
        """Whether all that it is passed of an iteration of the loop are single numbers."""
        own = [part for part in self.data if part.names_turn_of(loop)]
        return bool(own) and all(part.is_number for part in own)

    def outgrows(self, loop: Loop) -> bool:
        """Whether, for all iterations at once, it would need an array larger than all there are."""
        return comparing.outgrows(self._analysis, self._site, loop._frame)

    # What it does to graphs and sessions

    @property
    def is_run_at_once(self) -> bool:
        """Whether what makes its nodes, a statement or a function that asks, runs them, too."""
        return asked_runs.is_run_at_once(self._analysis, self._site)

    @property
    def is_first_to_add_nodes(self) -> bool:
        """Whether no call that begins before it in its statement adds nodes."""
        return graphs.is_first_to_add_nodes(self._analysis, self._site)

    def is_eager_beside(self, path: LoopPath) -> bool:
        """Whether the sessions that the loop runs have graphs of which it is no node."""
        way = tuple(call._site for call in path.calls)
        return own_graphs.is_eager_beside(self._analysis, self._site, way, path.loop._frame)

    def is_long_lived(self, path: LoopPath) -> bool:
        """Whether the session it opens is kept, or runs many times, in one iteration of
        the loop.
        """
        way = tuple(call._site for call in path.calls)
        loop = path.loop._frame
        first = (*way, self._site)[0]
        return sessions.is_kept(self._analysis, loop, first) or sessions.serves_many_steps(
            self._analysis, (loop, way), self._site
        )

    @property
    def is_for_one_turn(self) -> bool:
        """Whether an `if` around it asks for one certain number, and not for each n-th."""
        return once.is_for_one_turn(self._site.frames)

    @property
    def suits_either_mode(self) -> bool:
        """Whether it is asked whether operations run at once, or tensors came in: seldom then."""
        return eagerness.suits_either_mode(self._analysis, self._site)

    @property
    def could_keep_its_graph(self) -> bool:
        """Whether its function makes a graph in each call that one would do for."""
        return graphs.could_be_made_once(self._analysis, self._site.scope)

    def restores_same_model(self, path: LoopPath | RequestPath) -> bool:
        """Whether the iterations or requests load one model each time, from the same place."""
        loop = path.loop._frame if isinstance(path, view.LoopPath) else None
        start = loop.scope if loop is not None else path.handler._own  # type: ignore[union-attr]
        way = (*(call._site for call in path.calls), self._site)
        return same_place.restores_same_model(self._analysis, start, loop, way)

    @property
    def serves_request(self) -> RequestPath | None:
        """The request handler that runs it for each request."""
        found = sessions.request_path(self._analysis, self._site)
        if found is None:
            return None
        calls = tuple(Call(self._analysis, site) for site in found[1])
        return view.RequestPath(view.Function(self._analysis, found[0]), calls)

    # What it runs

    @property
    def targets(self) -> tuple[Function, ...]:
        """The functions of the project that it may run."""
        return tuple(
            view.Function(self._analysis, target.function)
            for target in callgraph.targets(self._analysis, self._site)
        )

    @property
    def effects(self) -> frozenset[Effect]:
        return effects.of_call(self._analysis, self._site)

    @property
    def statement_span(self) -> tuple[int, int]:
        """Offsets of the whole statement that holds the call."""
        module = self._analysis.module_of(self._scope)
        return positions.span_of(module, self._site.statement)
