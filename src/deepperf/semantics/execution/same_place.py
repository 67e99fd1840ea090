"""Whether a model is loaded from the same place in each iteration of a loop, or for each
request.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution import model_changes, session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import passes
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind, parameters
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Argument, External, Object, Unknown

FARTHEST = 8
"""Calls on the way to a place, and on the way to where it is found."""


class _Again(Struct, frozen=True):
    """What runs again: the iterations of a loop, or the calls of a handler (`loop` is None then).

    `start` is the function of the loop, or the handler; `way` are calls from there inwards.
    """

    start: Scope
    loop: Frame | None
    way: tuple[CallSite, ...]
    given: frozenset[str] | None = None
    """Parameters of a handler, where it is asked for what a request names; another may, too."""


def restores_same_model(
    analysis: Analysis, start: Scope, loop: Frame | None, way: tuple[CallSite, ...]
) -> bool:
    """Whether each iteration of a loop, or call of a handler, loads one model from the same place.

    Asked for the functions on the way and those they call; False where a place may change.
    """
    found = False
    for again in _loads(analysis, _Again(start, loop, way)):
        places = _places(analysis, again.way[-1])
        if not places or not all(_is_same(analysis, *place, again) for place in places):
            return False
        found = True
    return found


def is_same_place(
    analysis: Analysis,
    node: ast.expr,
    start: Scope,
    loop: Frame | None,
    way: tuple[CallSite, ...],
) -> bool:
    """Whether an argument of the last call of `way` is the same in all iterations, or requests."""
    return _is_same(analysis, node, way[-1].scope, _Again(start, loop, way))


def is_place_of_request(
    analysis: Analysis, node: ast.expr, handler: Scope, way: tuple[CallSite, ...]
) -> bool:
    """Whether a request names the place itself: another request may name the same."""
    function = handler.node
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    given = frozenset(argument.arg for argument in parameters(function))
    return _is_same(analysis, node, way[-1].scope, _Again(handler, None, way, given))


def _loads(analysis: Analysis, again: _Again) -> Iterator[_Again]:
    """The calls that load a model, each with the way to it."""
    for depth, site in enumerate(again.way):
        for other in site.scope.calls:
            if site.scope is again.start and again.loop and again.loop not in other.frames:
                continue
            way = (*again.way[:depth], other)
            if _loads_model(analysis, other):
                yield replace(again, way=way)
            if other is site:
                continue
            for target in callgraph.targets(analysis, other):
                for inner in target.function.calls:
                    if _loads_model(analysis, inner):
                        yield replace(again, way=(*way, inner))


def _loads_model(analysis: Analysis, site: CallSite) -> bool:
    return has(callgraph.fact_at(analysis, site), Trait.LOADS_MODEL)


def _places(analysis: Analysis, site: CallSite) -> list[tuple[ast.expr, Scope]]:
    """Where a model is loaded from: the path given, or the files its function opens."""
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        given = callgraph.role_argument(site.node, fact, ParameterRole.PLACE)
        # Where TensorFlow 1 is given a session first, the place is among the rest.
        if given is not None and session_runs.is_session(analysis, given, site.scope):
            return [(one, site.scope) for one in tree.arguments(site.node) if one is not given]
        if given is not None:
            return [(given, site.scope)]
    found = []
    for other in site.scope.calls:
        opened = callgraph.fact_at(analysis, other)
        if has(opened, Trait.READS_FILE) and other.node.args:
            found.append((other.node.args[0], site.scope))
    return found


def _is_same(analysis: Analysis, node: ast.expr, scope: Scope, again: _Again) -> bool:
    """Whether an expression of a function on the way gives the same text each time."""
    if isinstance(node, ast.Constant):
        return True
    return analysis.remember(
        ("same place", node, again), lambda: _stays(analysis, node, scope, again), otherwise=False
    )


def _stays(analysis: Analysis, node: ast.expr, scope: Scope, again: _Again) -> bool:
    if isinstance(node, ast.Attribute):
        return _is_same_attribute(analysis, node, scope, again)
    if isinstance(node, ast.Name):
        return _is_same_name(analysis, node, scope, again)
    if isinstance(node, ast.Call):
        if _is_found_again(analysis, node, analysis.site_of(node, scope), again):
            return True
        text = _text_of(analysis, node.func, scope)
        fact = callgraph.fact_of_call(analysis, node, scope)
        if text is None and not _gives_places(analysis, fact, again):
            return False
        parts = [*node.args, *([] if text is None else text)]
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        # Which of its names a condition leaves is as much the same as the names are.
        parts = [node.elt, *(generator.iter for generator in node.generators)]
    elif isinstance(node, ast.Slice):
        parts = [end for end in (node.lower, node.upper, node.step) if end is not None]
    elif isinstance(node, ast.Subscript):
        # An entry of a table that stays is found again, whichever a request names.
        parts = [node.value] if again.given is not None else [node.value, node.slice]
    elif isinstance(node, (ast.List, ast.Tuple)):
        parts = node.elts
    elif isinstance(node, ast.UnaryOp):
        parts = [node.operand]
    elif isinstance(node, (ast.BinOp, ast.JoinedStr, ast.FormattedValue)):
        parts = [part for part in tree.children(node) if isinstance(part, ast.expr)]
    else:
        return False
    return all(_is_same(analysis, part, scope, again) for part in parts)


def _text_of(analysis: Analysis, function: ast.expr, scope: Scope) -> list[ast.expr] | None:
    """The texts that a function works on besides its arguments, if it is one of texts or paths.

    A method of what nothing is known of is one of texts if those have it.
    """
    held = values.evaluate(analysis, function, scope)
    names = callgraph.external_names(held)
    if names and all(name.startswith("os.path.") for name in names):
        return []
    if not isinstance(function, ast.Attribute):
        return None
    is_unknown = all(isinstance(term, (Unknown, Argument)) for term in held)
    if is_unknown and analysis.knowledge.fact(f"builtins.str.{function.attr}") is not None:
        return [function.value]
    # What texts have no such method of is something else, or more than a text.
    is_text = bool(names) and all(
        name.startswith("builtins.str.") and analysis.knowledge.fact(name) is not None
        for name in names
    )
    return [function.value] if is_text else None


def _gives_places(analysis: Analysis, fact: Fact | None, again: _Again) -> bool:
    """Whether a call gives paths that follow from what it is given, in all iterations alike.

    What a loop has saved may be newer in each iteration.
    """
    if has(fact, Trait.TELLS_PLACES):
        return not has(fact, Trait.READS_STATE) or again.loop is None or _only_asks(analysis, again)
    return has(fact, Trait.PURE)


def _only_asks(analysis: Analysis, again: _Again) -> bool:
    """Whether a loop goes over data, and leaves the models that there are as they are."""
    loop = again.loop
    if loop is None or passes.over(analysis, loop) is not LoopOver.ITEMS:
        return False
    return not model_changes.changes_models(analysis, loop)


def _is_same_attribute(
    analysis: Analysis, node: ast.Attribute, scope: Scope, again: _Again
) -> bool:
    """An attribute that only the constructor sets, or of settings that nothing changes."""
    held = values.evaluate(analysis, node.value, scope)
    known = [term for term in held if not isinstance(term, Argument)]
    # What another package gives by a name may be the request itself; flags are constants.
    if known and node.attr.isupper() and all(isinstance(term, External) for term in known):
        return True
    if any(isinstance(t, External) and not t.name.rpartition(".")[2].isupper() for t in known):
        return False
    objects = [term for term in known if isinstance(term, Object)]
    if not objects or len(objects) != len(known):
        places = (again.start, *(site.scope for site in again.way))
        written = {write.attribute for place in places for write in place.attribute_writes}
        return node.attr not in written and _is_same(analysis, node.value, scope, again)
    writes = [w for o in objects for w in classes.attribute_writes(analysis, o.cls, node.attr)]
    if not writes or any(write.scope.name != "__init__" for write in writes):
        return False
    makers = _makers(analysis, again)
    told = replace(again, way=(*makers, *again.way))
    made = {
        target.function
        for site in told.way
        for target in callgraph.targets(analysis, site)
        if target.function.name == "__init__"
    }
    # An object that each iteration makes may be told another place each time.
    return all(
        write.scope not in made
        or (write.value is not None and _is_same(analysis, write.value, write.scope, told))
        for write in writes
    )


def _makers(analysis: Analysis, again: _Again) -> tuple[CallSite, ...]:
    """The call by which each iteration makes the object whose method leads on."""
    first = again.way[0].node.func if again.way else None
    owner = first.value if isinstance(first, ast.Attribute) else None
    if (
        again.loop is None
        or not isinstance(owner, ast.Name)
        or again.way[0].scope is not again.start
    ):
        return ()
    found = [
        analysis.site_of(one.value, one.scope)
        for one in values.definitions_of(analysis, owner, again.start)
        if isinstance(one.value, ast.Call) and id(again.loop.node) in one.loops
    ]
    return tuple(site for site in found if site is not None and site not in again.way)


def _is_found_again(
    analysis: Analysis, node: ast.Call, site: CallSite | None, again: _Again
) -> bool:
    """Whether a function of the project finds the same place, given the same."""
    targets = callgraph.targets(analysis, site) if site is not None else ()
    if site is None or len(targets) != 1 or callgraph.has_unpacked_arguments(node):
        return False
    function = targets[0].function
    inside = replace(again, way=(*again.way, site))
    if function.yields or not function.returns or len(again.way) > FARTHEST:
        return False
    return all(_is_same(analysis, part, function, inside) for part in function.returns)


def _is_same_name(analysis: Analysis, node: ast.Name, scope: Scope, again: _Again) -> bool:
    definitions = values.definitions_of(analysis, node, scope)
    if len(definitions) != 1:
        return False
    definition = definitions[0]
    if (
        definition.scope is again.start
        and again.loop
        and id(again.loop.node) not in definition.loops
    ):
        return True
    if definition.scope.kind is ScopeKind.MODULE and definition.scope is not again.start:
        return not definition.loops
    if definition.binding is Binding.ASSIGNED and definition.value is not None:
        if definition.unpacking:
            return False
        return _is_same(analysis, definition.value, definition.scope, again)
    if definition.binding is Binding.ITERATED and definition.value is not None:
        is_turn = any(definition.value is iterable for iterable in _gone_through(again.loop))
        return not is_turn and _is_same(analysis, definition.value, definition.scope, again)
    if definition.binding is Binding.PARAMETER and definition.scope is again.start:
        return definition.name in (again.given or ())
    if definition.binding is Binding.PARAMETER:
        return _is_same_argument(analysis, definition.name, definition.scope, again)
    return False


def _gone_through(loop: Frame | None) -> list[ast.expr]:
    """What a loop goes through, of which each iteration has one: not what loops within it do."""
    node = loop.node if loop is not None else None
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.iter]
    return [generator.iter for generator in getattr(node, "generators", ())]


def _is_same_argument(analysis: Analysis, name: str, function: Scope, again: _Again) -> bool:
    """Whether the call on the way to a function passes the same for a parameter."""
    for site in again.way:
        for target in callgraph.targets(analysis, site):
            if target.function is function:
                given = callgraph.bound_arguments(site.node, target).get(name)
                if given is None:
                    return not callgraph.has_unpacked_arguments(site.node)
                return _is_same(analysis, given, site.scope, again)
    return False
