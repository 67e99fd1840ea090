"""Which code adds nodes to a graph, which runs one, and which starts a new one."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph, hooks, listed, reach, settled
from deepperf.semantics.calls.reach import Path
from deepperf.semantics.execution import contexts, readings, session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops import loops, once
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind, last_name, parameters
from deepperf.semantics.text import tree
from deepperf.semantics.values.terms import Argument, External, Unknown, Value

_FRAMEWORK = ("tensorflow", "keras", "tf.", ".assign")
_SESSION_WORDS = ("sess", "session", "Session", "InteractiveSession", "K", "backend", "feed_dict")
_RUNS_BY_NAME = r"(?:eval|function|get_session|(?:batch_)?[gs]et_value)\b"
_SESSION = tuple(
    # Patterns that begin with letters are found fast.
    re.compile(pattern)
    for pattern in (
        r"sess\b",
        r"session\b",
        r"Session\b",
        r"feed_dict\b",
        rf"K\.{_RUNS_BY_NAME}",
        rf"backend\.{_RUNS_BY_NAME}",
    )
)


def may_concern_graphs(analysis: Analysis, path: str) -> bool:
    """Whether, by texts alone, a file may make nodes and something that leads to it run them."""
    return analysis.remember(
        ("may concern graphs", path), lambda: _may_concern_graphs(analysis, path), otherwise=True
    )


def _may_concern_graphs(analysis: Analysis, path: str) -> bool:
    text = analysis.project.sources[path].text
    if not any(word in text for word in _FRAMEWORK):
        return False
    if path not in analysis.project.near(_SESSION):
        analysis.asked.update(_SESSION_WORDS)
        return False
    analysis.touched.update(analysis.project.mentioning(_SESSION) - {path})
    return True


def adds_nodes(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call adds nodes to the graph, where there is one."""
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if fact is not None:
        return Trait.ADDS_NODE in fact.traits
    return applies_layer(analysis, held)


def applies_layer(analysis: Analysis, held: Value) -> bool:
    """Whether calling the value applies a layer or model of a framework."""
    # A parameter is held beside what the project's calls give for it, and its attributes are
    # unknown beside what is set on that.
    given = [term for term in held if not isinstance(term, (Argument, Unknown))]
    has_trait = session_runs.has_call_trait
    return bool(given) and all(has_trait(analysis, term, Trait.ADDS_NODE) for term in given)


def layer_calls(analysis: Analysis, path: str) -> tuple[CallSite, ...]:
    """The calls of layers and models in a module; none where the text names no session run."""
    module = analysis.module(path)
    running = analysis.project.trigger_names(frozenset((Trait.RUNS_SESSION,)))
    if not any(session_runs.runs_session(analysis, site) for site in module.calls_of(running)):
        return ()
    scopes = module.scopes
    defined = {scope.name for scope in module.all_scopes}
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for statement in scopes.imports.values()
        for alias in statement.names
    }
    return tuple(
        site
        for site in scopes.call_sites.values()
        if _may_hold_layer(site.node.func, defined, imported)
        and reach.may_repeat(analysis, site)
        and applies_layer(analysis, callgraph.callee(analysis, site))
    )


def _may_hold_layer(function: ast.expr, defined: set[str], imported: set[str]) -> bool:
    """Whether a callee, by its text, may be an object: not what is defined or imported."""
    name = last_name(function)
    if name is None:
        return isinstance(function, (ast.Call, ast.Subscript))
    return name not in defined and getattr(tree.owner_of(function), "id", None) not in imported


def is_first_to_add_nodes(analysis: Analysis, site: CallSite) -> bool:
    """Whether no call of the same statement that begins earlier, or around it, adds nodes."""
    start = (site.node.lineno, site.node.col_offset)
    for other in site.scope.calls:
        if other.statement is not site.statement or other is site:
            continue
        place = (other.node.lineno, other.node.col_offset)
        # Calls on a call's result begin where it begins and end later.
        longer = (other.node.end_lineno, other.node.end_col_offset) > (
            site.node.end_lineno,
            site.node.end_col_offset,
        )
        if (place < start or (place == start and longer)) and adds_nodes(analysis, other):
            return False
    return True


# What the iterations of a loop do


def loop_runs_session(analysis: Analysis, loop: Frame) -> bool:
    """Whether the iterations of a loop run a session, in functions they call too."""
    return _turns_do(analysis, loop, "run session", session_runs.runs_session)


def loop_starts_graph(analysis: Analysis, loop: Frame) -> bool:
    """Whether each iteration of a loop makes a graph of its own, or empties the default one."""
    return _turns_do(analysis, loop, "start graph", _starts_graph)


def loop_builds_model(analysis: Analysis, loop: Frame) -> bool:
    """Whether the iterations of a loop make variables: they build a model then, part by part."""
    return _turns_do(analysis, loop, "build model", _makes_variable)


def loop_feeds_model(analysis: Analysis, loop: Frame) -> bool:
    """Whether each iteration itself feeds nodes that were there before the loop.

    What it feeds is built by then, and what an iteration makes beside comes on top of it.
    """
    stored = {
        part.id
        for part in tree.walk(loop.node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return any(
        site.loops[-1:] == (loop,)
        and last_name(site.node.func) == "run"
        and tree.argument(site.node, 1, "feed_dict") is not None
        and stored.isdisjoint(tree.names_in(*site.node.args[:1]))
        and session_runs.runs_session(analysis, site)
        for site in loop.scope.calls
    )


def _makes_variable(analysis: Analysis, site: CallSite) -> bool:
    fact = callgraph.fact_at(analysis, site)
    # What a metric or an optimizer stores is no part of the model.
    return has(fact, Trait.CREATES_VARIABLE) and Trait.WRITES_STATE not in fact.traits


def is_run_at_once(analysis: Analysis, site: CallSite) -> bool:
    """Whether the nodes that a call adds are executed by the statement that makes them."""
    return any(
        other.statement is site.statement
        and any(part is site.node for part in tree.walk(other.node))
        and session_runs.runs_session(analysis, other)
        for other in site.scope.calls
    )


def function_starts_graph(analysis: Analysis, function: Scope) -> bool:
    """Whether each call of a function makes a graph of its own, or empties the default one."""
    return _function_does(analysis, function, "start graph", _starts_graph)


def could_be_made_once(analysis: Analysis, function: Scope) -> bool:
    """Whether the graph that a function makes in each call could be fed, and holds no variables.

    Nothing that it runs is left over for the next call, so one graph would do for all. What is
    built in where it could be fed is an argument of the function, or read there, and given to an
    operation.
    """
    if function.kind is not ScopeKind.FUNCTION or not any(
        _starts_graph(analysis, site) for site in function.calls
    ):
        return False
    sites = tuple(function.calls)
    reached = reach.sites_of(analysis, function, _LASTING | {Trait.FED})
    takes = _is_taken_by(analysis, reached, frozenset((Trait.FED,))) or any(
        _builds_in(analysis, site) for site in sites
    )
    return takes and _leaves_nothing(analysis, sites, reached)


def _builds_in(analysis: Analysis, site: CallSite) -> bool:
    """Whether an operation's data is an argument of the function around, or what that reads."""
    fact = callgraph.fact_at(analysis, site)
    if not has(fact, Trait.ADDS_NODE) or not site.node.args:
        return False
    # Of a shape another graph is made, as it is of what only says how the work is done.
    if Trait.CREATES_ARRAY in fact.traits and Trait.MAKES_TENSOR not in fact.traits:
        return False
    given = readings.of_read(tree.container_of(site.node.args[0]))
    node = site.scope.node
    assert not isinstance(node, (ast.Module, ast.ClassDef))
    name = getattr(given, "id", None)
    return name in [argument.arg for argument in parameters(node)] or any(
        has(callgraph.fact_at(analysis, other), Trait.READS_FILE)
        and readings.name_of(other) == name
        for other in site.scope.calls
        if name is not None
    )


def turns_could_share(analysis: Analysis, loop: Frame) -> bool:
    """Whether the iterations of a loop make graphs that each read one file: one graph would do.

    What is fed may be shaped for its iteration, and its graph with it.
    """
    sites = loops.sites_in(analysis, loop)
    if not any(_starts_graph(analysis, site) for site in sites):
        return False
    reached = reach.reached_sites(analysis, loop, _LASTING | _TAKING)
    return _is_taken_by(analysis, reached, _TAKING) and _leaves_nothing(analysis, sites, reached)


def _is_taken_by(
    analysis: Analysis, reached: tuple[CallSite, ...], taking: frozenset[Trait]
) -> bool:
    """Whether a graph takes its data by nodes with these traits."""
    facts = (callgraph.fact_at(analysis, site) for site in reached)
    return any(has(fact, Trait.ADDS_NODE) and not taking.isdisjoint(fact.traits) for fact in facts)


def _leaves_nothing(
    analysis: Analysis, sites: tuple[CallSite, ...], reached: tuple[CallSite, ...]
) -> bool:
    """Whether what runs in a graph keeps nothing for later, but for the state of a metric."""
    facts = [callgraph.fact_at(analysis, site) for site in reached if not _is_fed(analysis, site)]
    if any(_is_lasting(fact.traits) for fact in facts if fact is not None):
        return False
    return not any(_is_unknown(analysis, site) for site in sites)


def _is_fed(analysis: Analysis, site: CallSite) -> bool:
    """Whether what a call gives, as it stands, is given to a session's run alone.

    What is read by a name may be given to an operation as well: it could be fed.
    """
    if any(
        has(callgraph.fact_at(analysis, other), Trait.RUNS_SESSION)
        for other in site.scope.calls
        if other is not site
        and any(
            part is site.node for given in tree.arguments(other.node) for part in tree.walk(given)
        )
    ):
        return True
    read = callgraph.fact_at(analysis, site)
    if read is None or read.traits & _READ != {Trait.READS_FILE}:
        return False
    name = readings.name_of(site)
    return name is not None and all(
        has(fact := callgraph.fact_at(analysis, other), Trait.ADDS_NODE, Trait.RUNS_SESSION)
        and not has(fact, Trait.LOADS_MODEL)
        for other in site.scope.calls
        if any(name in tree.names_in(given) for given in tree.arguments(other.node))
    )


def _is_lasting(traits: frozenset[Trait]) -> bool:
    is_read_as_node = traits & _LASTING == {Trait.READS_FILE} and Trait.ADDS_NODE in traits
    return not (traits.isdisjoint(_LASTING) or traits >= _METRIC or is_read_as_node)


def _is_unknown(analysis: Analysis, site: CallSite) -> bool:
    """Whether something is called from outside the project that nothing is known of."""
    held = callgraph.callee(analysis, site)
    return callgraph.fact_of(analysis, held) is None and any(
        isinstance(term, (Argument, External)) for term in held
    )


def _starts_graph(analysis: Analysis, site: CallSite) -> bool:
    return has(callgraph.fact_at(analysis, site), Trait.CREATES_GRAPH, Trait.RESETS_GRAPH)


_LASTING = frozenset((Trait.CREATES_VARIABLE, Trait.CREATES_LAYER, Trait.LOADS_MODEL))
_LASTING |= frozenset((Trait.GIVES_MODEL, Trait.READS_FILE))
_READ = frozenset((Trait.READS_FILE, Trait.ADDS_NODE, Trait.LOADS_MODEL, Trait.GIVES_MODEL))
_METRIC = frozenset((Trait.CREATES_VARIABLE, Trait.WRITES_STATE))
_TAKING = frozenset((Trait.DECODES, Trait.READS_FILE))
Question = Callable[[Analysis, CallSite], bool]


def _turns_do(analysis: Analysis, loop: Frame, what: str, question: Question) -> bool:
    def find() -> bool:
        sites = loops.sites_in(analysis, loop)
        again = (
            site
            for site in sites
            if loop not in site.frames or not once.runs_once(analysis, site, loop)
        )
        return _any_does(analysis, tuple(again), what, question)

    return analysis.remember(("turns", what, loop.node), find, otherwise=False)


def _any_does(
    analysis: Analysis, sites: tuple[CallSite, ...], what: str, question: Question
) -> bool:
    if any(question(analysis, site) for site in sites):
        return True
    for site in sites:
        entered = callgraph.entered(analysis, site)
        if any(_function_does(analysis, target.function, what, question) for target in entered):
            return True
        targets = callgraph.targets(analysis, site)
        # Where one of several may run, it is not known that it does.
        if targets and all(_function_does(analysis, t.function, what, question) for t in targets):
            return True
    return False


def _function_does(analysis: Analysis, function: Scope, what: str, question: Question) -> bool:
    def find() -> bool:
        analysis.module_of(function)
        again = (site for site in function.calls if not once.runs_once(analysis, site, None))
        return _any_does(analysis, tuple(again), what, question)

    return analysis.remember(("does", what, function), find, otherwise=False)


# Where code runs again


def repeats(analysis: Analysis, site: CallSite) -> tuple[Path, ...]:
    """The loops that run a call again, with the calls that lead to it, nearest first.

    Unlike `reach.loop_paths`, all loops of each function on the way are named, and those
    left out in which the call runs once: behind a guard, a cache, or an exit from the loop; or
    not at all, for what the calls on the way are given.
    What a process of its own makes goes with it, and cannot be made before. Last come the
    methods that a framework calls for each step, each as a loop.
    """
    found: list[Path] = []
    for innermost, way in reach.loop_paths(analysis, site):
        places = (*way, site)
        if any(once.runs_once(analysis, place, None) for place in places[1:]):
            continue
        if any(has(callgraph.fact_at(analysis, p), Trait.STARTS_PROCESS) for p in way):
            continue
        if settled.are_run(analysis, places) is Certainty.NO:
            continue
        first = places[0]
        if innermost.node is first.node:
            found.append((innermost, way))
            continue
        around = listed.loops_repeating(analysis, first) if way else first.loops
        found.extend(
            (loop, way)
            for loop in reversed(around[: around.index(innermost) + 1])
            if not once.runs_once(analysis, first, loop)
        )
    found.extend(
        (hook, way)
        for hook, way in hooks.paths(analysis, site.scope)
        if not any(once.runs_once(analysis, place, None) for place in (*way, site))
    )
    return tuple(found)


def runs_apart(analysis: Analysis, function: Scope) -> bool:
    """Whether a function's body runs while tracing, or as Python inside the runtime."""
    if function.kind is not ScopeKind.FUNCTION:
        return False
    if contexts.is_traced(analysis, function):
        return True
    return any(
        Trait.CALLS_PYTHON in fact.traits for _, fact in contexts.handed_to(analysis, function)
    )
