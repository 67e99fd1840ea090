"""Methods that open a session of their own each time that they are asked for something."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import callers, callgraph, entrances
from deepperf.semantics.execution import graphs, session_runs, sessions
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import once
from deepperf.semantics.names.scopes import AttributeWrite, CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values


def opens_to_answer(analysis: Analysis, site: CallSite) -> bool:
    """Whether a public method opens a session on its object's graph to run it once, and fed.

    Nobody knows how often it is called. But an object that keeps a graph, or nodes of one, is
    there to be asked again: else it would not keep it.
    """
    function = site.scope
    cls, own = classes.enclosing_class(function), classes.receiver_name(function)
    if cls is None or own is None or function.name == "__init__" or not _is_left_behind(site):
        return False
    runs = [other for other in function.calls if session_runs.runs_session(analysis, other)]
    # A session in which a loop runs the graph many times is little beside that.
    if any(run.loops for run in runs) or not _is_given_something(function, own):
        return False
    around = _graphs(analysis, site)
    if around:
        kept = {name for part in around for name in _own(part, own)}
        is_asked = any(len(tree.arguments(run.node)) > 1 for run in runs)
    else:
        kept = _nodes_asked(analysis, runs, own)
        is_asked = _finds_its_graph(analysis, function)
    writes = [write for name in sorted(kept) for write in _writes(analysis, cls, name)]
    building = (function, *(() if around else _entered(analysis, function)))
    if not is_asked or not writes or any(write.scope in building for write in writes):
        return False
    if once.runs_once(analysis, site, None):
        return False
    return entrances.is_only_asked_from_outside(analysis, function)


def _nodes_asked(analysis: Analysis, runs: list[CallSite], own: str) -> set[str]:
    """The attributes that sessions run, where these are given values to run them on.

    What is given values belongs to the graph that is run, whatever is made of it for the answer.
    """
    return {
        name
        for run in runs
        if _is_told_values(analysis, run, own)
        for part in (*_fetched(analysis, run), *_fed(run))
        for name in _own(part, own)
    }


def _fed(run: CallSite) -> Iterator[ast.expr]:
    """The nodes that a session is given values for: `{self.rows: rows}`."""
    feed = tree.argument(run.node, 1, "feed_dict")
    if isinstance(feed, ast.Dict):
        yield from (key for key in feed.keys if key is not None)


def _own(node: ast.expr, own: str) -> Iterator[str]:
    """The attributes of the object that an expression reads: `self.graph`."""
    for part in tree.walk(node):
        if isinstance(part, ast.Attribute) and getattr(part.value, "id", None) == own:
            yield part.attr


def _writes(analysis: Analysis, cls: Scope, name: str) -> tuple[AttributeWrite, ...]:
    """Where an attribute is set, that which a property gives included."""
    written = classes.attribute_writes(analysis, cls, name)
    named = [child for child in cls.children if child.name == name]
    getter = next((child for child in named if classes.is_property(child)), None)
    if written or getter is None:
        return written
    own = classes.receiver_name(getter) or ""
    given = [part.value for part in tree.walk(getter.node) if isinstance(part, ast.Return)]
    names = {kept for part in given if part is not None for kept in _own(part, own)}
    return tuple(
        write for kept in sorted(names) for write in classes.attribute_writes(analysis, cls, kept)
    )


def _fetched(analysis: Analysis, run: CallSite) -> tuple[ast.expr, ...]:
    """What a session is told to run, by the text and by the names in it."""
    named = (keyword.value for keyword in run.node.keywords if keyword.arg == "fetches")
    fetches = next(iter(run.node.args), None) or next(named, None)
    if fetches is None:
        return ()
    bound = [
        definition.value
        for part in tree.walk(fetches)
        if isinstance(part, ast.Name)
        for definition in values.definitions_of(analysis, part, run.scope)
        if definition.scope is run.scope and definition.value is not None
    ]
    return (fetches, *bound)


def _is_told_values(analysis: Analysis, run: CallSite, own: str) -> bool:
    """Whether a session is fed, or runs what the object's own layers make of what it is given."""
    if len(tree.arguments(run.node)) > 1:
        return True
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and getattr(part.func.value, "id", None) == own
        and bool(tree.arguments(part))
        and not callgraph.targets_of(analysis, values.evaluate(analysis, part.func, run.scope))
        for part in _fetched(analysis, run)
    )


def _finds_its_graph(analysis: Analysis, function: Scope) -> bool:
    """Whether a function that opens a session has it run what was there, and that once only.

    Where the project itself shows how it is called, and that is in no loop, it is not guessed.
    """
    if graphs.function_starts_graph(analysis, function):
        return False
    if any(sessions.loops_over_session(analysis, one) for one in _entered(analysis, function)):
        return False
    return not callers.callers(analysis, function)


def _entered(analysis: Analysis, function: Scope) -> tuple[Scope, ...]:
    return tuple(
        target.function for site in function.calls for target in callgraph.targets(analysis, site)
    )


def _is_left_behind(site: CallSite) -> bool:
    """Whether nothing but the method itself has the session."""
    statement = site.statement
    if isinstance(statement, ast.With):
        entered = [item for item in statement.items if item.context_expr is site.node]
        return any(not isinstance(item.optional_vars, ast.Attribute) for item in entered)
    return (
        isinstance(statement, ast.Assign)
        and statement.value is site.node
        and all(isinstance(target, ast.Name) for target in statement.targets)
    )


def _graphs(analysis: Analysis, site: CallSite) -> list[ast.expr]:
    """The graph that a session is given, and those that are the default around it."""
    fact = callgraph.fact_at(analysis, site)
    given = callgraph.role_argument(site.node, fact, ParameterRole.GRAPH) if fact else None
    found = [given] if given is not None else []
    blocks = [*(frame.node for frame in site.frames), site.statement]
    for item in (item for block in blocks if isinstance(block, ast.With) for item in block.items):
        entered = item.context_expr
        if isinstance(entered, ast.Call) and isinstance(entered.func, ast.Attribute):
            other = analysis.site_of(entered, site.scope)
            if other is not None and has(callgraph.fact_at(analysis, other), Trait.ENTERS_GRAPH):
                found.append(entered.func.value)
    return found


def _is_given_something(function: Scope, own: str) -> bool:
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return False
    return any(name.arg != own for name in (*node.args.posonlyargs, *node.args.args))
