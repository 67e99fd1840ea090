"""What a session that is opened again and again is for: steps, objects, requests."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.knowledge.words import REQUEST_VERBS
from deepperf.semantics.calls import callers, callgraph, hooks, reach, starters
from deepperf.semantics.calls.reach import Path
from deepperf.semantics.execution import contexts, graphs, session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, once
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Object


def serves_many_steps(analysis: Analysis, path: Path, site: CallSite) -> bool:
    """Whether, in one iteration of the path's loop, further loops run a session.

    Asked for the functions on the path: what they make serves many steps then.
    """
    loop, way = path
    places = (*way, site)
    if _is_for_one_run(analysis, site):
        return False
    if _is_left_to_heirs(analysis, site):
        return True
    if (block := _block_of(site)) is not None:
        return _block_runs_many(analysis, site, block)
    for index, place in enumerate(places):
        for inner in place.scope.loops:
            if inner in place.frames or inner is loop:
                continue
            if index == 0 and not _is_within(inner, loop):
                continue
            if not loops.is_tiny(analysis, inner) and graphs.loop_runs_session(analysis, inner):
                return True
        for other in place.scope.calls:
            if index == 0 and loop not in other.frames:
                continue
            for target in callgraph.targets(analysis, other):
                if loops_over_session(analysis, target.function):
                    return True
    return False


def _is_for_one_run(analysis: Analysis, site: CallSite) -> bool:
    """Whether a session is opened where it is told what to run, so that nothing else has it."""
    return any(
        any(one is site.node for one in tree.operands(other.node))
        and session_runs.runs_session(analysis, other)
        for other in site.scope.calls
    )


def _block_of(site: CallSite) -> ast.With | None:
    """The `with` statement that a session is opened by and closed after, if no other code has it.

    Where the function yields, whoever asks for the next item may run it, as may those to whom
    a method of the block is given.
    """
    statement = site.statement
    if not isinstance(statement, ast.With) or site.scope.yields:
        return None
    for item in statement.items:
        if item.context_expr is site.node:
            if item.optional_vars is None or isinstance(item.optional_vars, ast.Name):
                return statement
            return None
    return None


def _block_runs_many(analysis: Analysis, site: CallSite, block: ast.With) -> bool:
    """Whether a loop in a block, or in what it calls, runs a session."""
    within = {id(part) for part in tree.walk(block)}
    if any(
        id(inner.node) in within
        and not loops.is_tiny(analysis, inner)
        and graphs.loop_runs_session(analysis, inner)
        for inner in site.scope.loops
    ):
        return True
    return any(
        loops_over_session(analysis, target.function)
        for other in site.scope.calls
        if id(other.node) in within
        for target in callgraph.targets(analysis, other)
    )


def _is_left_to_heirs(analysis: Analysis, site: CallSite) -> bool:
    """Whether an object keeps the session for methods that only other classes define."""
    statement = site.statement
    if not isinstance(statement, ast.With):
        return False
    kept = any(
        item.context_expr is site.node and isinstance(item.optional_vars, ast.Attribute)
        for item in statement.items
    )
    own = classes.receiver_name(site.scope)
    return kept and any(
        isinstance(other.node.func, ast.Attribute)
        and isinstance(other.node.func.value, ast.Name)
        and other.node.func.value.id == own
        and not callgraph.targets(analysis, other)
        for other in site.scope.calls
        if any(part is other.node for part in tree.walk(statement))
    )


def _is_within(inner: Frame, loop: Frame) -> bool:
    return any(part is inner.node for part in tree.walk(loop.node))


def loops_over_session(analysis: Analysis, function: Scope) -> bool:
    """Whether calling a function runs a loop that runs a session."""

    def find() -> bool:
        analysis.module_of(function)
        if any(
            not loops.is_tiny(analysis, loop) and graphs.loop_runs_session(analysis, loop)
            for loop in function.loops
        ):
            return True
        return any(
            loops_over_session(analysis, target.function)
            for site in function.calls
            for target in callgraph.targets(analysis, site)
        )

    return analysis.remember(("loops over session", function), find, otherwise=False)


def is_kept(analysis: Analysis, loop: Frame, site: CallSite) -> bool:
    """Whether each iteration keeps a session, or an object that holds one, of its own.

    `site` is the call in the loop that makes it.
    """
    if not any(
        isinstance(term, Object) or session_runs.is_session_object(analysis, term)
        for term in values.evaluate(analysis, site.node, site.scope)
    ):
        return False
    node, statement = loop.node, site.statement
    if getattr(node, "elt", getattr(node, "value", None)) is site.node:
        return True
    wanted: list[ast.expr] = [site.node]
    if isinstance(statement, ast.Assign) and statement.value is site.node:
        if any(isinstance(target, ast.Subscript) for target in statement.targets):
            return True
        wanted += [target for target in statement.targets if isinstance(target, ast.Name)]
    names = {part.id for part in wanted if isinstance(part, ast.Name)}
    for part in tree.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            held = part.args if part.func.attr in members.CONTAINER_ADDITIONS else []
        elif isinstance(part, ast.Yield) and part.value is not None:
            held = [part.value]
        else:
            continue
        if any(p is site.node or getattr(p, "id", None) in names for p in held):
            return True
    return False


# Requests


def handles_request(analysis: Analysis, function: Scope) -> bool:
    """Whether a function is run once for each request that a server gets."""
    if Trait.HANDLES_REQUEST in contexts.decorator_traits(analysis, function):
        return True
    if any(
        Trait.HANDLES_REQUEST in fact.traits
        for given in (contexts.handed_to, contexts.handed_over)
        for _, fact in given(analysis, function)
    ):
        return True
    if hooks.answers_remote_calls(analysis, function) or hooks.answers_events(function):
        return True
    cls = classes.enclosing_class(function)
    if cls is None:
        return False
    is_named = function.name.lower().startswith(REQUEST_VERBS)
    for base in classes.ancestors(analysis, cls):
        if not isinstance(base, str):
            continue
        if is_named and has(analysis.knowledge.fact(base), Trait.HANDLES_REQUEST):
            return True
        if has(analysis.knowledge.fact(f"{base}.{function.name}"), Trait.HANDLES_REQUEST):
            return True
    return False


def request_path(analysis: Analysis, site: CallSite) -> tuple[Scope, tuple[CallSite, ...]] | None:
    """The request handler that runs a call each time, with the calls that lead to it."""
    seen = {site.scope}
    level: list[tuple[Scope, tuple[CallSite, ...]]] = [(site.scope, (site,))]
    for _ in range(reach.DEEPEST_PATH):
        following: list[tuple[Scope, tuple[CallSite, ...]]] = []
        for scope, places in level:
            if scope.kind is not ScopeKind.FUNCTION:
                continue
            if once.runs_once(analysis, places[0], None):
                continue
            if handles_request(analysis, scope):
                return scope, places[:-1]
            sites = callers.callers(analysis, scope) + starters.of_function(analysis, scope)
            for caller in sites:
                if caller.scope not in seen:
                    seen.add(caller.scope)
                    following.append((caller.scope, (caller, *places)))
        level = following
    return None
