"""All that a rule may ask about a program: the façade of the engine.

Rules see files, calls, loops, functions and expressions; behind these stand the analysis
and its syntax trees, which rules never touch. Asking costs only when the answer is needed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.records import Failure, Location, Role, Step
from deepperf.semantics import (
    batching,
    callgraph,
    classes,
    compiling,
    contexts,
    eagerness,
    effects,
    graph_state,
    graphs,
    loops,
    pipelines,
    positions,
    reach,
    repetition,
    sessions,
    values,
    vintage,
)
from deepperf.semantics.analysis import Analysis
from deepperf.semantics.batching import Batching
from deepperf.semantics.effects import Effect
from deepperf.semantics.loops import Certainty, LoopOver
from deepperf.semantics.project import Project
from deepperf.semantics.scopes import CallSite, Frame, Scope, ScopeKind, last_name, parameters
from deepperf.semantics.terms import (
    Argument,
    Instance,
    Literal,
    Method,
    Object,
    Unknown,
    Value,
)
from deepperf.semantics.versions import release_of

__all__ = [
    "Batching",
    "Call",
    "Certainty",
    "Compilation",
    "Decoration",
    "Effect",
    "Expression",
    "FileView",
    "Function",
    "Loop",
    "LoopOver",
    "LoopPath",
    "RepeatedCompilation",
    "RepeatedWork",
    "RequestPath",
    "Spot",
    "view_file",
]


def view_file(project: Project, path: str) -> FileView:
    """The file at `path` as rules see it; other files are reached from there."""
    return FileView(Analysis(project, path), path)


class FileView:
    """One file of a project."""

    def __init__(self, analysis: Analysis, path: str) -> None:
        self._analysis = analysis
        self.path = path

    @property
    def text(self) -> str:
        return self._analysis.project.sources[self.path].text

    @property
    def role(self) -> Role:
        return self._analysis.project.sources[self.path].role

    @property
    def file(self) -> FileView:
        return self

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What of the file could not be parsed."""
        return self._analysis.module(self.path).failures

    @property
    def touched(self) -> frozenset[str]:
        """Other files whose content the answers so far depend on."""
        return frozenset(self._analysis.touched)

    @property
    def asked(self) -> frozenset[str]:
        """Names whose callers anywhere in the project the answers so far depend on."""
        return frozenset(self._analysis.asked)

    def calls(self, traits: frozenset[Trait] = frozenset()) -> Iterator[Call]:
        """The calls whose callee has one of `traits`, decorators included; all for none."""
        if not traits:
            for site in self._analysis.module(self.path).scopes.call_sites.values():
                yield Call(self._analysis, site)
            return
        for site in self._sites_named(traits):
            call = Call(self._analysis, site)
            if call.fact is not None and not traits.isdisjoint(call.fact.traits):
                yield call

    def _sites_named(self, traits: frozenset[Trait]) -> Iterator[CallSite]:
        """The calls that, by their last names, may be of callables with one of `traits`."""
        module = self._analysis.module(self.path)
        wanted = self._analysis.project.trigger_names(traits)
        names = wanted | {new for new, old in module.scopes.renamed if old in wanted}
        for name in sorted(names.intersection(module.called_names)):
            yield from module.calls_named(name)

    def repeatable_calls(self, traits: frozenset[Trait]) -> Iterator[Call]:
        """The calls with one of `traits` that, by texts alone, may run more than once."""
        for site in self._sites_named(traits):
            if reach.may_repeat(self._analysis, site):
                call = Call(self._analysis, site)
                if call.fact is not None and not traits.isdisjoint(call.fact.traits):
                    yield call

    @property
    def may_concern_graphs(self) -> bool:
        """Whether, by texts alone, it may make nodes and something of its project run them."""
        return graphs.may_concern_graphs(self._analysis, self.path)

    def layer_calls(self) -> Iterator[Call]:
        """The calls of layers and models of a framework, in a file that may run a session."""
        for site in graphs.layer_calls(self._analysis, self.path):
            yield Call(self._analysis, site)

    def names_with(self, trait: Trait) -> tuple[str, ...]:
        """Full names, the newest first, of what has the trait in the version that it is for."""
        knowledge = self._analysis.project.knowledge
        facts = [
            fact
            for fact in knowledge.facts.values()
            if trait in fact.traits and self._has(fact.framework, fact.since, fact.until)
        ]
        facts.sort(key=lambda fact: (release_of(fact.since or "0"), fact.name), reverse=True)
        names = [fact.name for fact in facts]
        names += [alias for name in names for alias, of in knowledge.aliases.items() if of == name]
        return tuple(dict.fromkeys(names))

    def _has(self, framework: str, since: str, until: str) -> bool:
        newest_is_too_old = bool(since) and not self.reaches(framework, since)
        return not newest_is_too_old and not (until and self.reaches(framework, until))

    def sets_attribute(self, trait: Trait) -> bool:
        """Whether it sets an attribute with the trait to something other than False."""
        return graph_state.sets_attribute(self._analysis, self.path, trait)

    def compilations(self) -> Iterator[Compilation]:
        """The calls and decorators of the file that compile a function, perhaps repeatedly."""
        for made in compiling.makings(self._analysis, self.path):
            yield Compilation(self._analysis, made)

    def functions(self) -> Iterator[Function]:
        """The functions and lambdas of the file, in the order of its text."""
        for scope in self._analysis.module(self.path).scopes.module.walk():
            if scope.kind is ScopeKind.FUNCTION:
                yield Function(self._analysis, scope)

    def loops(self) -> Iterator[Loop]:
        """The loops and comprehensions of the file, outer before inner."""
        for scope in self._analysis.module(self.path).scopes.module.walk():
            for frame in scope.loops:
                yield Loop(self._analysis, frame)

    def reaches(self, framework: str, version: str) -> bool:
        """Whether the file may run with this version of a framework, or a newer one.

        A project that says nothing is taken to run the newest version, unless the file uses
        names that this one lacks.
        """
        return vintage.reaches(self._analysis, self.path, framework, version)

    def precedes(self, framework: str, version: str) -> bool:
        """Whether the project is known to run only versions before this one."""
        return not self.reaches(framework, version)


class Spot:
    """Something at a place in a file."""

    _analysis: Analysis
    _node: ast.AST
    _scope: Scope

    @property
    def file(self) -> FileView:
        return FileView(self._analysis, self._scope.module_path)

    @cached_property
    def location(self) -> Location:
        return positions.location_of(self._analysis.module_of(self._scope), self._node)

    @property
    def source_line(self) -> str:
        return positions.line_at(self._analysis.module_of(self._scope), self.location.line)

    @property
    def text(self) -> str:
        """The source text, on one line."""
        return " ".join(self.source.split())

    @property
    def quoted(self) -> str:
        """The source text, on one line, shortened."""
        return positions.shortened(self.text)

    @property
    def source(self) -> str:
        """The source text, as it stands."""
        start, end = self.span
        return self._analysis.module_of(self._scope).source.text[start:end]

    @cached_property
    def span(self) -> tuple[int, int]:
        """Offsets, in characters of the file's text, of the start and the end (exclusive)."""
        return positions.span_of(self._analysis.module_of(self._scope), self._node)

    @property
    def function(self) -> Function | None:
        """The function or lambda in whose body it stands."""
        scope = self._scope
        return Function(self._analysis, scope) if scope.kind is ScopeKind.FUNCTION else None

    @property
    def framework(self) -> str:
        """The framework whose callable it is about; "" when that is not known."""
        fact: Fact | None = getattr(self, "fact", None)
        return fact.framework if fact is not None else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spot) and self._node is other._node

    def __hash__(self) -> int:
        return hash(self._node)


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
    def is_known(self) -> bool:
        """Whether all that it may hold was found out."""
        return bool(self._value) and not any(
            isinstance(term, (Unknown, Argument)) or (isinstance(term, Instance) and not term.type)
            for term in self._value
        )

    @property
    def is_parameter(self) -> bool:
        """Whether it may hold what callers pass, who may be unknown."""
        return any(isinstance(term, Argument) for term in self._value)

    @property
    def literal(self) -> object:
        """The one constant that it holds; None when it is not certain (or is None)."""
        if len(self._value) == 1 and isinstance(self._value[0], Literal):
            return self._value[0].value
        return None

    @property
    def is_none(self) -> bool:
        return self._value != () and all(
            isinstance(term, Literal) and term.value is None for term in self._value
        )

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
                sites = self._analysis.module_of(term.scope).scopes.call_sites
                site = sites.get(id(term.site))
                if site is not None:
                    found.append(Call(self._analysis, site))
        return tuple(found)

    def functions(self) -> tuple[Function, ...]:
        """The functions of the project that calling it may run."""
        return tuple(
            Function(self._analysis, target.function)
            for target in callgraph.targets_of(self._analysis, self._value)
        )

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
    def batching(self) -> Batching:
        """How the function that it is does on a batch of what it is given now."""
        return batching.of_value(self._analysis, self._node, self._scope)

    def stateful_parts(self) -> tuple[Expression, ...]:
        """The parts of the function that it is, callees included, that make stateful operations.

        What the function does only while it is traced is not among them.
        """
        return tuple(
            Expression(self._analysis, node, scope)
            for node, scope in graph_state.stateful_places(
                self._analysis, self._node, self._scope
            )
        )

    @property
    def only_rearranges(self) -> bool:
        """Whether the function that it is computes nothing."""
        return graph_state.only_rearranges(self._analysis, self._node, self._scope)

    def invariant_in(self, loop: Loop) -> Certainty:
        """Whether it has the same value in each turn of a loop of the same function."""
        return loops.invariant(self._analysis, self._node, self._scope, loop._frame)

    @property
    def call(self) -> Call | None:
        """The expression as a call, when it is one."""
        if isinstance(self._node, ast.Call):
            sites = self._analysis.module_of(self._scope).scopes.call_sites
            site = sites.get(id(self._node))
            return Call(self._analysis, site) if site is not None else None
        return None


class Call(Spot):
    """A call expression."""

    def __init__(self, analysis: Analysis, site: CallSite) -> None:
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
        return callgraph.fact_of(self._analysis, self._callee)

    def has(self, trait: Trait) -> bool:
        return self.fact is not None and trait in self.fact.traits

    @property
    def called(self) -> str:
        """The callee as the user wrote it, on one line, shortened: `….map` for a long chain."""
        source = Expression(self._analysis, self._node.func, self._scope).source
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

    def argument(self, role: ParameterRole) -> Expression | None:
        """What the call passes for the parameter of this role, by keyword or position."""
        if self.fact is None:
            return None
        found = callgraph.role_argument(self._node, self.fact, role)
        return self._expression(found)

    def takes(self, role: ParameterRole) -> str | None:
        """The name of the callee's parameter of this role."""
        listed = self.fact.parameters if self.fact is not None else ()
        return next((parameter.name for parameter in listed if parameter.role is role), None)

    def named_argument(self, name: str) -> Expression | None:
        """What the call passes by this keyword."""
        for keyword in self._node.keywords:
            if keyword.arg == name:
                return self._expression(keyword.value)
        return None

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """All arguments, positional ones first."""
        nodes = [*self._node.args, *(keyword.value for keyword in self._node.keywords)]
        return tuple(Expression(self._analysis, node, self._scope) for node in nodes)

    @property
    def receiver(self) -> Expression | None:
        """The object whose method is called; None for functions of modules."""
        if not isinstance(self._node.func, ast.Attribute):
            return None
        if not any(isinstance(term, Method) for term in self._callee):
            return None
        return self._expression(self._node.func.value)

    @property
    def callee(self) -> Expression:
        return Expression(self._analysis, self._node.func, self._scope)

    @property
    def result(self) -> Expression:
        return Expression(self._analysis, self._node, self._scope)

    def _expression(self, node: ast.expr | None) -> Expression | None:
        return None if node is None else Expression(self._analysis, node, self._scope)

    @property
    def inputs(self) -> tuple[Call, ...]:
        """The calls that made the dataset that it transforms; none where that is not known."""
        return tuple(
            Call(self._analysis, site) for site in pipelines.inputs(self._analysis, self._site)
        )

    @property
    def applied(self) -> Call:
        """The transformation that it applies, as in `dataset.apply(unbatch())`; else itself."""
        return Call(self._analysis, pipelines.applied(self._analysis, self._site))

    @property
    def dataset_size(self) -> int | None:
        """How many elements the dataset has that it makes or transforms, if the text tells."""
        return pipelines.size(self._analysis, self._site)

    # Surroundings

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The loops and comprehensions of its function around it, outermost first."""
        return tuple(Loop(self._analysis, frame) for frame in self._site.frames if frame.is_loop)

    @property
    def guards(self) -> tuple[Expression, ...]:
        """The conditions of the `if` statements around it, outermost first."""
        return tuple(
            Expression(self._analysis, test, self._scope)
            for test in contexts.guards(self._site.frames)
        )

    def within(self, trait: Trait) -> bool:
        """Whether a `with` block of its function, or a decorator of it, has the trait."""
        if trait in contexts.managers(self._analysis, self._site.frames):
            return True
        return self._scope.kind is ScopeKind.FUNCTION and trait in contexts.decorator_traits(
            self._analysis, self._scope
        )

    def loop_paths(self) -> tuple[LoopPath, ...]:
        """The loops whose turns run this call: around it, or around calls that lead to it."""
        return tuple(
            LoopPath(
                Loop(self._analysis, frame),
                tuple(Call(self._analysis, site) for site in sites),
            )
            for frame, sites in reach.loop_paths(self._analysis, self._site)
        )

    def repeats(self) -> Iterator[LoopPath]:
        """The loops that run it again in their turns, nearest first.

        All loops of each function on the way are named; those in which it runs once, because
        of a guard, a cache or an exit from the loop, are left out.
        """
        for frame, sites in graphs.repeats(self._analysis, self._site):
            calls = tuple(Call(self._analysis, site) for site in sites)
            yield LoopPath(Loop(self._analysis, frame), calls)

    # What it does to graphs and sessions

    @property
    def adds_nodes(self) -> bool:
        """Whether it adds nodes to the graph, if it does not run eagerly."""
        return graphs.adds_nodes(self._analysis, self._site)

    @property
    def is_run_at_once(self) -> bool:
        """Whether the nodes that it adds are executed by the statement that makes them."""
        return graphs.is_run_at_once(self._analysis, self._site)

    @property
    def is_first_to_add_nodes(self) -> bool:
        """Whether no call that begins before it in its statement adds nodes."""
        return graphs.is_first_to_add_nodes(self._analysis, self._site)

    def is_long_lived(self, path: LoopPath) -> bool:
        """Whether the session it opens is kept, or runs many times, in one turn of the loop."""
        way = tuple(call._site for call in path.calls)
        loop = path.loop._frame
        first = (*way, self._site)[0]
        return sessions.is_kept(self._analysis, loop, first) or sessions.serves_many_steps(
            self._analysis, (loop, way), self._site
        )

    def restores_same_model(self, path: LoopPath | RequestPath) -> bool:
        """Whether the turns or requests load one model each time, from the same place."""
        loop = path.loop._frame if isinstance(path, LoopPath) else None
        start = loop.scope if loop is not None else path.handler._own  # type: ignore[union-attr]
        way = (*(call._site for call in path.calls), self._site)
        return sessions.restores_same_model(self._analysis, start, loop, way)

    @property
    def serves_request(self) -> RequestPath | None:
        """The request handler that runs it for each request."""
        found = sessions.request_path(self._analysis, self._site)
        if found is None:
            return None
        calls = tuple(Call(self._analysis, site) for site in found[1])
        return RequestPath(Function(self._analysis, found[0]), calls)

    # What it runs

    @property
    def targets(self) -> tuple[Function, ...]:
        """The functions of the project that it may run."""
        return tuple(
            Function(self._analysis, target.function)
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

    @property
    def assigned_to(self) -> tuple[str, ...]:
        """The targets, as written, to which its statement assigns exactly this call."""
        statement = self._site.statement
        if isinstance(statement, ast.Assign) and statement.value is self._node:
            targets: list[ast.expr] = statement.targets
        elif isinstance(statement, ast.AnnAssign) and statement.value is self._node:
            targets = [statement.target]
        else:
            return ()
        return tuple(Expression(self._analysis, t, self._scope).text for t in targets)


class Loop(Spot):
    """A `for` or `while` loop, or a comprehension."""

    def __init__(self, analysis: Analysis, frame: Frame) -> None:
        self._analysis = analysis
        self._frame = frame
        self._node = frame.node
        self._scope = frame.scope

    @property
    def is_comprehension(self) -> bool:
        return not isinstance(self._node, ast.stmt)

    @property
    def header(self) -> str:
        """The loop's first line as a reader would quote it: `for x in xs`."""
        return positions.loop_header(self._analysis.module_of(self._scope), self._frame)

    @cached_property
    def trips(self) -> int | None:
        """How often it turns at most, when the text tells."""
        return loops.trips(self._analysis, self._frame)

    @property
    def is_tiny(self) -> bool:
        """Whether it is known to turn only a few times."""
        return self.trips is not None and self.trips <= loops.TINY

    @property
    def over(self) -> LoopOver:
        return loops.over(self._analysis, self._frame)

    @property
    def outer(self) -> tuple[Loop, ...]:
        """The loops of the same function around it, outermost first."""
        return tuple(
            Loop(self._analysis, frame)
            for frame in reach.frames_around(self._frame)
            if frame.is_loop
        )

    def calls(self) -> tuple[Call, ...]:
        """The calls in its body, in the loop's own function."""
        return tuple(
            Call(self._analysis, site) for site in loops.sites_in(self._analysis, self._frame)
        )

    @property
    def effects(self) -> frozenset[Effect]:
        return effects.of_loop(self._analysis, self._frame)

    @property
    def runs_session(self) -> bool:
        """Whether its turns run a session, in functions that they call too."""
        return graphs.loop_runs_session(self._analysis, self._frame)

    @property
    def builds_model(self) -> bool:
        """Whether its turns make variables: they build a model then, part by part."""
        return graphs.loop_builds_model(self._analysis, self._frame)

    @property
    def starts_graph(self) -> bool:
        """Whether each turn makes a graph of its own, or empties the default one."""
        return graphs.loop_starts_graph(self._analysis, self._frame)

    def repeated_work(self) -> tuple[RepeatedWork, ...]:
        """The framework operations that its turns do again for the same operands.

        Each is given for the outermost loop of the function in which it stays the same.
        """
        return tuple(
            RepeatedWork(
                self,
                Call(self._analysis, work.site),
                tuple(Call(self._analysis, site) for site in work.way),
                Call(self._analysis, work.operation),
            )
            for work in repetition.repeated_work(self._analysis, self._frame)
        )

    def reached_calls(self, traits: frozenset[Trait]) -> tuple[Call, ...]:
        """The calls with one of `traits` that its turns run, in functions it calls too."""
        return tuple(
            Call(self._analysis, site)
            for site in reach.reached_sites(self._analysis, self._frame, traits)
        )


@dataclass(frozen=True, slots=True)
class LoopPath:
    """A loop, and the calls that lead from its body to the place asked about.

    `calls` is empty when the place stands in the loop itself.
    """

    loop: Loop
    calls: tuple[Call, ...]

    def steps(self) -> tuple[Step, ...]:
        """The path for a finding: the loop first, then each call on the way."""
        if not self.calls:
            return ()
        first = Step(self.loop.location, f"in each turn of `{self.loop.header}`")
        return (first, *(Step(c.location, f"`{c.called}` is called") for c in self.calls))


@dataclass(frozen=True, slots=True)
class RequestPath:
    """A request handler, and the calls that lead from it to the place asked about."""

    handler: Function
    calls: tuple[Call, ...]

    def steps(self) -> tuple[Step, ...]:
        """The path for a finding: the handler first, then each call on the way."""
        if not self.calls:
            return ()
        first = Step(self.handler.location, f"for each request to `{self.handler.name}`")
        return (first, *(Step(c.location, f"`{c.called}` is called") for c in self.calls))


@dataclass(frozen=True, slots=True)
class RepeatedWork:
    """An operation that a loop repeats: `call` stands in the loop and leads to it.

    `calls` are the further calls on the way. Where `call` itself contains the operation,
    its value stays the same as a whole and `calls` is empty.
    """

    loop: Loop
    call: Call
    calls: tuple[Call, ...]
    operation: Call

    @property
    def is_inside(self) -> bool:
        """Whether the operation stands in a function that the call runs."""
        return self.operation._site.scope is not self.call._site.scope

    @property
    def is_unrolled(self) -> bool:
        """Whether the loop, or a function on the way, runs only while a framework traces it."""
        analysis = self.loop._analysis
        scopes = {c._site.scope for c in (self.call, *self.calls, self.operation)}
        return any(
            eagerness.is_traced_once(analysis, scope) for scope in scopes
        ) and not eagerness.turns_in_the_graph(analysis, self.loop._frame)

    @property
    def is_run_each_turn(self) -> bool:
        """Whether each turn is known to run the operation, in Python or inside a graph."""
        analysis = self.loop._analysis
        fact = self.operation.fact
        if fact is None or fact.framework in ("torch", "numpy"):
            return True
        if fact.framework != "jax":
            paths = {self.operation.file.path, self.loop.file.path}
            if not self.loop.file.reaches("tensorflow", "2.0") or any(
                eagerness.builds_graphs(analysis, path) for path in paths
            ):
                return False
            if eagerness.turns_in_the_graph(analysis, self.loop._frame):
                return True
        return eagerness.turns_on_the_host(analysis, self.loop._frame)

    def steps(self) -> tuple[Step, ...]:
        """The path for a finding: the loop first, then each call on the way."""
        if not self.is_inside:
            return ()
        on_the_way = (self.call, *self.calls)
        first = Step(self.loop.location, f"in each turn of `{self.loop.header}`")
        last = Step(self.operation.location, f"`{self.operation.called}` does the same again")
        return (
            first,
            *(Step(c.location, f"`{c.called}` is called") for c in on_the_way),
            last,
        )


class Compilation(Spot):
    """A call or decorator that compiles or traces a function."""

    def __init__(self, analysis: Analysis, made: compiling.Making) -> None:
        self._analysis = analysis
        self._made = made
        self._node = made.node
        self._scope = made.site.scope

    @property
    def compiler(self) -> str:
        """The compiler as the user wrote it, a decorator with its `@`."""
        node = self._made.node
        if self._made.decorated is None and isinstance(node, ast.Call):
            node = node.func
        while isinstance(node, ast.Call):
            node = node.args[0] if node.args else node.func
        text = Expression(self._analysis, node, self._scope).text
        return f"@{text}" if self._made.decorated is not None else text

    @property
    def compiled(self) -> str:
        """What is compiled, as the user wrote it, on one line, shortened."""
        if self._made.decorated is not None:
            return self._made.decorated.name
        text = Expression(self._analysis, self._made.function, self._scope).text
        return positions.shortened(text)

    @property
    def finds_same_function(self) -> bool:
        """Whether the compiler finds again what it compiled, given the same function."""
        return Trait.FINDS_SAME_FUNCTION in self._made.fact.traits

    def repeats(self) -> Iterator[RepeatedCompilation]:
        """The loops and request handlers that compile the same again, in vain, nearest first."""
        for found in compiling.again(self._analysis, self._made):
            calls = tuple(Call(self._analysis, site) for site in found.way)
            path: LoopPath | RequestPath
            if found.loop is not None:
                path = LoopPath(Loop(self._analysis, found.loop), calls)
            else:
                assert found.handler is not None
                path = RequestPath(Function(self._analysis, found.handler), calls)
            yield RepeatedCompilation(path, found.inputs)


@dataclass(frozen=True, slots=True)
class RepeatedCompilation:
    """A loop or request handler that repeats a compilation.

    `inputs` are the names of data, different each time, that are built into the function.
    """

    path: LoopPath | RequestPath
    inputs: tuple[str, ...]


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

    @property
    def qualified_name(self) -> str:
        return self._own.qualified_name

    @property
    def location(self) -> Location:
        return positions.definition_location(self._analysis.module_of(self._own), self._own)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        node = self._own.node
        assert not isinstance(node, (ast.Module, ast.ClassDef))
        return tuple(argument.arg for argument in parameters(node))

    @property
    def is_lambda(self) -> bool:
        return isinstance(self._own.node, ast.Lambda)

    @property
    def is_method(self) -> bool:
        return classes.enclosing_class(self._own) is not None

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls in its own body."""
        return tuple(Call(self._analysis, site) for site in self._own.calls)

    @property
    def returns(self) -> tuple[Expression, ...]:
        return tuple(Expression(self._analysis, node, self._own) for node in self._own.returns)

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
    def runs_apart(self) -> bool:
        """Whether its body runs only while traced, or as Python inside the runtime."""
        return graphs.runs_apart(self._analysis, self._own)

    def callers(self) -> tuple[Call, ...]:
        """The calls in the project that are known to run it."""
        return tuple(
            Call(self._analysis, site) for site in callgraph.callers(self._analysis, self._own)
        )

    def handed_to(self) -> tuple[Call, ...]:
        """The framework calls that are given it as the function to apply, trace or compile."""
        return tuple(
            Call(self._analysis, site) for site, _ in contexts.handed_to(self._analysis, self._own)
        )

    def loop_paths(self) -> tuple[LoopPath, ...]:
        """The loops around its definition or around calls that lead to it."""
        return tuple(
            LoopPath(
                Loop(self._analysis, frame),
                tuple(Call(self._analysis, site) for site in sites),
            )
            for frame, sites in reach.function_loop_paths(self._analysis, self._own)
        )

    @property
    def defined_in_loops(self) -> tuple[Loop, ...]:
        """The loops around its definition, in the function that defines it."""
        return tuple(Loop(self._analysis, f) for f in self._own.frames if f.is_loop)

    @property
    def free_names(self) -> frozenset[str]:
        """Names that it reads from the functions around it."""
        return reach.free_names(self._own)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self._own is other._own

    def __hash__(self) -> int:
        return hash(id(self._own))
