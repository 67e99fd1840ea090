"""Where functions are compiled or traced, what becomes of the result, and where that repeats."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.execution import contexts, graphs, sessions
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, once
from deepperf.semantics.loops.turns import Turn, is_made_anew, varying
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values.terms import Value

FARTHEST_FACTORY = 3
_PASSING = (ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await)


@dataclass(frozen=True, slots=True, eq=False)
class Making:
    """A place where a function is compiled: a call, or a decorator as the call it stands for.

    `node` is the call or decorator as it stands in the text; `function` what is compiled.
    """

    site: CallSite
    node: ast.expr
    fact: Fact
    function: ast.expr
    decorated: Scope | None


@dataclass(frozen=True, slots=True, eq=False)
class Again:
    """A making that runs again: in each turn of `loop`, or with None in each call of `handler`.

    `way` are the calls that lead to it. `inputs` are names of data, different each time, that
    are built into what is compiled.
    """

    loop: Frame | None
    handler: Scope | None
    way: tuple[CallSite, ...]
    inputs: tuple[str, ...]


@dataclass(slots=True)
class _Uses:
    """What the code of one scope does with a value made there."""

    called_at: list[CallSite] = field(default_factory=list)
    bases: list[ast.expr] = field(default_factory=list)  # objects whose attribute it becomes
    called_later: bool = False  # from other code, perhaps many times
    returned: bool = False
    kept: bool = False  # put away, or handed to code of which nothing is known


# Makings


def makings(analysis: Analysis, path: str) -> Iterator[Making]:
    """The places in a file, run more than once perhaps, that compile a function."""
    module = analysis.module(path)
    names = analysis.project.trigger_names(frozenset((Trait.COMPILES,)))
    for site in module.calls_of_renamed(names):
        if site.scope.kind is ScopeKind.FUNCTION or _is_in_loop(site.frames):
            made = _made_by_call(analysis, site)
            if made is not None:
                yield made
    for scope in module.scopes.by_node.values():
        made = _made_by_decorator(analysis, scope)
        if made is not None:
            yield made


def _is_in_loop(frames: tuple[Frame, ...]) -> bool:
    return any(frame.is_loop for frame in frames)


def _made_by_call(analysis: Analysis, site: CallSite) -> Making | None:
    fact = callgraph.fact_at(analysis, site)
    if fact is None or Trait.COMPILES not in fact.traits:
        return None
    function = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION)
    outer = site
    if function is None:
        # `compile(option=…)(f)`
        found = [other for other in site.scope.calls if other.node.func is site.node]
        if not found or not found[0].node.args:
            return None
        outer, function = found[0], found[0].node.args[0]
    parent = _parents(analysis, site.scope).get(id(outer.node))
    if isinstance(parent, ast.Call) and outer.node in parent.args:
        around = callgraph.fact_of(analysis, _callee_of(analysis, parent, site.scope))
        if around is not None and Trait.COMPILES in around.traits:
            return None
    return Making(outer, outer.node, fact, function, None)


def _made_by_decorator(analysis: Analysis, scope: Scope) -> Making | None:
    node, parent = scope.node, scope.parent
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not node.decorator_list:
        return None
    if parent is None or parent.kind is ScopeKind.CLASS:
        return None
    if parent.kind is ScopeKind.MODULE and not _is_in_loop(scope.frames):
        return None
    for decorator, fact in contexts.decorations(analysis, scope):
        if fact is not None and Trait.COMPILES in fact.traits:
            name = ast.copy_location(ast.Name(node.name, ast.Load()), decorator)
            call = ast.copy_location(ast.Call(decorator, [name], []), decorator)
            site = CallSite(call, parent, scope.frames, node)
            return Making(site, decorator, fact, name, scope)
    return None


def _callee_of(analysis: Analysis, call: ast.Call, scope: Scope) -> Value:
    site = analysis.site_of(call, scope)
    return callgraph.callee(analysis, site) if site is not None else ()


# What becomes of it


def _parents(analysis: Analysis, scope: Scope) -> dict[int, ast.AST]:
    return analysis.remember(("parents", scope), lambda: tree.parents(scope.node), {})


def _uses(analysis: Analysis, site: CallSite, decorated: Scope | None) -> _Uses:
    """What the scope of a call does with what it gives, or with a decorated function."""
    found = _Uses()
    if decorated is not None:
        names = [decorated.name]
    else:
        names = sorted(_follow(analysis, site.node, site.scope, found))
    for name in names:
        if name in site.scope.outer_names:
            found.called_later = True
        for scope in site.scope.walk():
            if scope is not site.scope and name in scope.bound:
                continue
            for part in _own_nodes(scope):
                if not isinstance(part, ast.Name) or part.id != name:
                    continue
                if isinstance(part.ctx, ast.Load):
                    names += sorted(_follow(analysis, part, scope, found).difference(names))
                    found.called_later |= scope is not site.scope
    return found


def _own_nodes(scope: Scope) -> Iterator[ast.AST]:
    """The nodes of a scope's body, those of the functions within it apart."""
    node = scope.node
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    pending: list[ast.AST] = list(body)
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            pending.extend(part.decorator_list)
        elif not isinstance(part, ast.Lambda):
            pending.extend(tree.children(part))


def _follow(analysis: Analysis, node: ast.expr, scope: Scope, found: _Uses) -> set[str]:
    """Notes where an expression's value goes; gives the names that are bound to it."""
    parents = _parents(analysis, scope)
    names: set[str] = set()
    part: ast.AST = node
    while True:
        parent = parents.get(id(part))
        if isinstance(parent, ast.keyword):
            part, parent = parent, parents.get(id(parent))
        if isinstance(parent, ast.NamedExpr) and isinstance(parent.target, ast.Name):
            names.add(parent.target.id)
        if isinstance(parent, _PASSING):
            part = parent
        elif isinstance(parent, ast.Call) and parent.func is not part:
            if not _wraps(analysis, parent, scope):
                _handed(analysis, parent, part, scope, found)
                return names
            part = parent
        else:
            break
    if isinstance(parent, ast.Call):
        site = analysis.site_of(parent, scope)
        if site is not None:
            found.called_at.append(site)
    elif isinstance(parent, ast.Assign):
        names |= _assigned(parent.targets, found)
    elif isinstance(parent, ast.AnnAssign):
        names |= _assigned([parent.target], found)
    elif isinstance(parent, ast.Tuple) and _pairs_up(parents.get(id(parent)), parent):
        assign = parents[id(parent)]
        assert isinstance(assign, ast.Assign)
        assert isinstance(assign.targets[0], ast.Tuple)
        index = next(i for i, element in enumerate(parent.elts) if element is part)
        names |= _assigned([assign.targets[0].elts[index]], found)
    elif isinstance(parent, ast.Return) or (
        isinstance(parent, ast.Lambda) and parent is scope.node
    ):
        found.returned = True
    elif not isinstance(parent, (ast.Expr, ast.Attribute, ast.Compare)):
        found.kept = True
    return names


def _assigned(targets: list[ast.expr], found: _Uses) -> set[str]:
    names = set()
    for target in targets:
        if isinstance(target, ast.Name):
            names.add(target.id)
        elif isinstance(target, ast.Attribute):
            found.bases.append(target)
        else:
            found.kept = True
    return names


def _pairs_up(assign: ast.AST | None, value: ast.Tuple) -> bool:
    """Whether a tuple is assigned, part by part, to a tuple of targets."""
    if not isinstance(assign, ast.Assign) or len(assign.targets) != 1:
        return False
    target = assign.targets[0]
    parts = [*value.elts, *(target.elts if isinstance(target, ast.Tuple) else [])]
    return (
        isinstance(target, ast.Tuple)
        and len(target.elts) == len(value.elts)
        and not any(isinstance(part, ast.Starred) for part in parts)
    )


def _wraps(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    """Whether a call gives a new callable around what it is given."""
    fact = callgraph.fact_of(analysis, _callee_of(analysis, call, scope))
    return fact is not None and not fact.traits.isdisjoint((Trait.WRAPS_FUNCTION, Trait.COMPILES))


def _handed(analysis: Analysis, call: ast.Call, part: ast.AST, scope: Scope, found: _Uses) -> None:
    """A project's function that only calls what it is handed is a use; all else may keep it."""
    site = analysis.site_of(call, scope)
    targets = callgraph.targets(analysis, site) if site is not None else ()
    value = part.value if isinstance(part, ast.keyword) else part
    for target in targets:
        given = callgraph.bound_arguments(call, target)
        for name, argument in given.items():
            if argument is value and _only_calls(target.function, name):
                found.called_later = True
                return
    found.kept = True


def _only_calls(function: Scope, name: str) -> bool:
    uses = [
        part for part in tree.walk(function.node) if isinstance(part, ast.Name) and part.id == name
    ]
    called = {id(site.node.func) for scope in function.walk() for site in scope.calls}
    return bool(uses) and all(id(part) in called for part in uses)


# Where it repeats


def again(analysis: Analysis, made: Making) -> Iterator[Again]:
    """The loops and request handlers that compile one function again and again, in vain.

    Left out are those where the result is kept, belongs to an object of the turn, or serves a
    turn long enough to be worth it, and those where the framework finds what it compiled.
    """
    for site, inner, uses in _arrivals(analysis, made):
        for loop, way in graphs.repeats(analysis, site):
            found = _judged(analysis, made, Turn(loop, None, (*way, site, *inner)), uses, site)
            if found is not None:
                yield found
        request = sessions.request_path(analysis, site)
        if request is not None:
            handler, calls = request
            turn = Turn(None, handler, (*calls, site, *inner))
            found = _judged(analysis, made, turn, uses, site)
            if found is not None:
                yield found


def _arrivals(
    analysis: Analysis, made: Making
) -> Iterator[tuple[CallSite, tuple[CallSite, ...], _Uses]]:
    """The calls that use what is made: the making itself, or calls of functions returning it."""
    level: list[tuple[CallSite, tuple[CallSite, ...], Scope | None]] = [
        (made.site, (), made.decorated)
    ]
    for _ in range(FARTHEST_FACTORY):
        following: list[tuple[CallSite, tuple[CallSite, ...], Scope | None]] = []
        for site, inner, decorated in level:
            uses = _uses(analysis, site, decorated)
            if not uses.kept and (uses.called_at or uses.called_later or uses.bases):
                yield site, inner, uses
            if not uses.returned or uses.kept or once.runs_once(analysis, site, None):
                continue
            following += [
                (caller, (site, *inner), None) for caller in callers.callers(analysis, site.scope)
            ]
        level = following


def _judged(
    analysis: Analysis, made: Making, turn: Turn, uses: _Uses, site: CallSite
) -> Again | None:
    if any(contexts.is_traced(analysis, place.scope) for place in turn.places):
        return None
    if not _compiles_anew(analysis, made, turn):
        return None
    inputs: tuple[str, ...] = ()
    rests_on = [(made.function, made.site.scope, made.decorated)]
    rests_on += [(base, site.scope, None) for base in uses.bases]
    for expression, scope, decorated in rests_on:
        found = varying(analysis, expression, scope, turn, decorated)
        if found is None:
            return None
        inputs += found
    if _serves_long(analysis, turn, uses, site) and (inputs or not _is_short(analysis, turn)):
        return None
    way = turn.places[:-1]
    return Again(turn.loop, turn.handler, way, tuple(dict.fromkeys(inputs)))


def _compiles_anew(analysis: Analysis, made: Making, turn: Turn) -> bool:
    traits = made.fact.traits
    if Trait.FINDS_SAME_CODE in traits:
        backend = callgraph.role_argument(made.site.node, made.fact, ParameterRole.BACKEND)
        if backend is None and isinstance(made.node, ast.Call):
            backend = callgraph.role_argument(made.node, made.fact, ParameterRole.BACKEND)
        return backend is not None and is_made_anew(analysis, backend, made.site.scope, turn)
    if Trait.FINDS_SAME_FUNCTION in traits and made.decorated is None:
        return is_made_anew(analysis, made.function, made.site.scope, turn)
    return True


def _serves_long(analysis: Analysis, turn: Turn, uses: _Uses, site: CallSite) -> bool:
    """Whether one turn may call what it compiled many times."""
    if uses.called_later:
        return True
    for called in uses.called_at:
        for frame in called.frames[_depth_of_turn(called, turn) :]:
            if frame.is_loop and (
                frame not in site.frames or once.runs_once(analysis, site, frame)
            ):
                return True
    return bool(uses.bases) and not uses.called_at and not _calls_attribute(turn, uses)


def _depth_of_turn(site: CallSite, turn: Turn) -> int:
    """How many of the frames around a call are outside of the turn."""
    return site.frames.index(turn.loop) + 1 if turn.loop in site.frames else 0


def _calls_attribute(turn: Turn, uses: _Uses) -> bool:
    """Whether the functions on the way call the attribute that holds it, once in a turn."""
    names = {base.attr for base in uses.bases if isinstance(base, ast.Attribute)}
    for index, place in enumerate(turn.places):
        for other in place.scope.calls:
            if last_name(other.node.func) in names:
                loops = other.loops
                around = place.loops
                if loops == around or (index and not loops):
                    return True
    return False


def _is_short(analysis: Analysis, turn: Turn) -> bool:
    """Whether a turn is a step or an epoch, and not a whole training run."""
    if turn.loop is None or len(turn.places) == 1:
        return True
    return loops.over(analysis, turn.loop) in (loops.LoopOver.EPOCHS, loops.LoopOver.BATCHES)
