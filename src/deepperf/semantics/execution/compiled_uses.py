"""What the code of a function does with what it has compiled there: calls, keeps or returns it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct, field

from deepperf.knowledge.schema import ParameterRole, Trait, has
from deepperf.semantics.calls import appliers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Getter
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Argument

_FARTHEST_METHOD = 3
_PASSING = (ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await)


class Uses(Struct):
    """What the code of one scope does with a value made there."""

    called_at: list[CallSite] = field(default_factory=list)
    searched_by: list[CallSite] = field(default_factory=list)  # calls that look for its extremum
    bases: list[ast.expr] = field(default_factory=list)  # objects whose attribute it becomes
    called_later: bool = False  # from other code, perhaps many times
    returned: bool = False
    returned_part: int | None = None  # its place in the tuple that is returned
    handed: bool = False  # to a function that the project was given, of which nothing is known
    kept: bool = False  # put away, or handed to code that may keep it

    @property
    def are_calls(self) -> bool:
        """Whether it is called, or goes where it is there to be called."""
        is_called = self.called_at or self.searched_by or self.called_later
        return bool(is_called or self.handed or self.bases)


def uses_of(
    analysis: Analysis, site: CallSite, decorated: Scope | None, index: int | None = None
) -> Uses:
    """What the scope of a call does with what it gives, or with a decorated function.

    With `index`, what it does with that part of the tuple that the call gives.
    """
    found = Uses()
    if decorated is not None:
        names = [decorated.name]
    elif index is not None:
        names = sorted(_unpacked(analysis, site, index, found))
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
                    if scope is not site.scope:
                        searches = _searches(analysis, scope, site.scope)
                        found.searched_by += searches
                        found.called_later |= not searches
    return found


def _unpacked(analysis: Analysis, site: CallSite, index: int, found: Uses) -> set[str]:
    """Notes where a part of the tuple goes that a call gives; gives the names bound to it."""
    parent = analysis.parents_in(site.scope).get(id(site.node))
    if isinstance(parent, ast.Return):
        found.returned, found.returned_part = True, index
        return set()
    targets = parent.targets if isinstance(parent, ast.Assign) else []
    target = targets[0] if len(targets) == 1 else None
    if not isinstance(target, ast.Tuple) or len(target.elts) <= index:
        found.kept = True
        return set()
    if any(isinstance(element, ast.Starred) for element in target.elts):
        found.kept = True
        return set()
    return _assigned([target.elts[index]], found)


def _searches(analysis: Analysis, inner: Scope, scope: Scope) -> list[CallSite]:
    """The calls that look for an extremum of a function in `scope`, if it is for them alone."""
    if inner.parent is not scope or isinstance(inner.node, (ast.Module, ast.ClassDef)):
        return []
    parents = analysis.parents_in(scope)
    uses: list[ast.AST] = [inner.node]
    if not isinstance(inner.node, ast.Lambda):
        uses = [
            part
            for part in tree.walk(scope.node)
            if isinstance(part, ast.Name) and part.id == inner.name
        ]
    found: list[CallSite] = []
    for part in uses:
        parent = parents.get(id(part))
        if isinstance(parent, ast.keyword):
            parent = parents.get(id(parent))
        site = analysis.site_of(parent, scope)
        if site is None or not has(callgraph.fact_at(analysis, site), Trait.SEARCHES):
            return []
        found.append(site)
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


def _follow(analysis: Analysis, node: ast.expr, scope: Scope, found: Uses) -> set[str]:
    """Notes where an expression's value goes; gives the names that are bound to it."""
    parents = analysis.parents_in(scope)
    names: set[str] = set()
    part = _as_written(node, parents)
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
    elif isinstance(parent, ast.Tuple) and isinstance(parents.get(id(parent)), ast.Return):
        found.returned = True
        found.returned_part = next(i for i, one in enumerate(parent.elts) if one is part)
    elif isinstance(parent, ast.Return) or (
        isinstance(parent, ast.Lambda) and parent is scope.node
    ):
        found.returned = True
    elif not isinstance(parent, (ast.Expr, ast.Attribute, ast.Compare)):
        found.kept = True
    return names


def _as_written(node: ast.expr, parents: dict[int, ast.AST]) -> ast.AST:
    """The node of the text: a property that is read is no call there, but an attribute."""
    if isinstance(node, ast.Call) and isinstance(node.func, Getter):
        return parents.get(id(node.func.value), node)
    return node


def _assigned(targets: list[ast.expr], found: Uses) -> set[str]:
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
    return has(callgraph.fact_of_call(analysis, call, scope), Trait.WRAPS_FUNCTION, Trait.COMPILES)


def _handed(analysis: Analysis, call: ast.Call, part: ast.AST, scope: Scope, found: Uses) -> None:
    """A project's function that only calls what it is handed is a use; all else may keep it."""
    site = analysis.site_of(call, scope)
    if site is not None and has(callgraph.fact_at(analysis, site), Trait.SEARCHES):
        found.searched_by.append(site)
        return
    if site is not None and _runs_it_now(analysis, site, part):
        found.called_at.append(site)
        return
    if site is not None and appliers.applies(analysis, site) and part in site.node.args[:1]:
        found.called_later = True
        return
    targets = callgraph.targets(analysis, site) if site is not None else ()
    value = part.value if isinstance(part, ast.keyword) else part
    for target in targets:
        given = callgraph.bound_arguments(call, target)
        for name, argument in given.items():
            if argument is value and _only_calls(target.function, name):
                found.called_later = True
                return
    if not targets and _is_given(analysis, call.func, scope):
        found.handed = True
    else:
        found.kept = True


def _runs_it_now(analysis: Analysis, site: CallSite, part: ast.AST) -> bool:
    """Whether a call is known to call what it is given, and to give what comes of it."""
    fact = callgraph.fact_at(analysis, site)
    return has(fact, Trait.APPLIES, Trait.TRACES_ARGUMENT) and (
        callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION) is part
    )


def _is_given(analysis: Analysis, function: ast.expr, scope: Scope) -> bool:
    """Whether a function is a parameter, or what the object was given when it was made."""
    if isinstance(function, ast.Attribute):
        if not classes.is_of_own_object(function, scope):
            return False
    elif not isinstance(function, ast.Name):
        return False
    held = values.evaluate(analysis, function, scope)
    return bool(held) and all(isinstance(term, Argument) for term in held)


def _only_calls(function: Scope, name: str) -> bool:
    uses = [
        part for part in tree.walk(function.node) if isinstance(part, ast.Name) and part.id == name
    ]
    called = {id(site.node.func) for scope in function.walk() for site in scope.calls}
    return bool(uses) and all(id(part) in called for part in uses)


# Objects that hold it


class Holder(Struct, frozen=True):
    """An object that an iteration makes, of which nothing is left when the iteration has ended.

    `asked` are the calls that lead to what it has compiled, in its methods and in the iteration.
    """

    made: CallSite
    asked: tuple[CallSite, ...]


def holder_of(analysis: Analysis, uses: Uses, site: CallSite, made: CallSite) -> Holder | None:
    """The object that keeps, by its constructor, what a call in that constructor compiled.

    `made` is the call that runs the constructor. None where the object may outlive the iteration.
    """
    cls, own = classes.enclosing_class(site.scope), classes.receiver_name(site.scope)
    names = {
        base.attr
        for base in uses.bases
        if isinstance(base, ast.Attribute) and getattr(base.value, "id", None) == own
    }
    if cls is None or site.scope.name != "__init__" or len(names) != len(uses.bases):
        return None
    of_object = uses_of(analysis, made, None)
    outlives = of_object.kept or of_object.returned or of_object.handed or of_object.bases
    if outlives or of_object.called_later:
        return None
    asked, ways = _leading_to(analysis, cls, names)
    objects = {id(called.node) for called in of_object.called_at}
    for other in made.scope.calls:
        is_called = id(other.node) in objects and "__call__" in ways
        if is_called or (
            isinstance(other.node.func, ast.Attribute) and other.node.func.attr in ways
        ):
            asked.append(other)
    return Holder(made, tuple(asked))


def _leading_to(analysis: Analysis, cls: Scope, names: set[str]) -> tuple[list[CallSite], set[str]]:
    """The calls in methods that lead to an object's attribute, and the methods that make them."""
    asked: list[CallSite] = []
    ways: set[str] = set()
    for _ in range(_FARTHEST_METHOD):
        wanted = names | ways
        asked = [
            call
            for ancestor in classes.ancestors(analysis, cls)
            if isinstance(ancestor, Scope)
            for method in classes.methods_of(ancestor).values()
            for scope in method.walk()
            for call in scope.calls
            if isinstance(call.node.func, ast.Attribute)
            and call.node.func.attr in wanted
            and classes.is_of_own_object(call.node.func, scope)
        ]
        ways = {_method_around(call.scope).name for call in asked}
    return asked, ways


def _method_around(scope: Scope) -> Scope:
    while scope.parent is not None and classes.enclosing_class(scope) is None:
        scope = scope.parent
    return scope
