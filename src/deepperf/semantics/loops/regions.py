"""A piece of code that runs again and again, and what its text binds, sets and calls.

A region is a loop's body, or a whole function when a call of it is one turn of a loop
elsewhere. Many questions are asked of each, so what its text tells is read off the tree once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import data_words
from deepperf.semantics.names import scopes
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain, chain_of

_DEFINITIONS = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
_GOING_OVER = frozenset((ast.For, ast.AsyncFor, ast.comprehension))
_NAMING = frozenset((ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping))


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A call that is given a reference, or made on it."""

    chain: Chain
    site: CallSite
    on_it: bool


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A loop's body, or with `loop` None the body of a function.

    `bound` are the names that it binds, a function's parameters apart, with what it assigns
    to them or unpacks, None unless it does that in one place; `items` are the references whose
    items it sets, `attributes` the attributes that it sets on anything, `objects` the names on
    which it sets one; `accesses` are the calls that are given something or made on it, by its
    first name, and `called` those of what is called itself, as `x.y` is in `x.y(z)`.
    """

    scope: Scope
    loop: Frame | None
    bound: dict[str, ast.expr | None]
    items: frozenset[Chain]
    attributes: frozenset[str]
    objects: frozenset[str]
    accesses: dict[str, tuple[Access, ...]]
    called: dict[str, tuple[Access, ...]]


def holder_of(node: ast.expr) -> Chain | None:
    """The chain at the root of an expression, through items: of `x.y[0]`, that of `x.y`."""
    while isinstance(node, (ast.Subscript, ast.Starred)):
        node = node.value
    return chain_of(node)


def region_of_loop(analysis: Analysis, loop: Frame) -> Region:
    def find() -> Region:
        return _region(loop.scope, loop, [loop.node])

    return analysis.remember(("region", loop.node), find, None) or find()


def region_of_function(analysis: Analysis, function: Scope) -> Region:
    node = function.node
    assert not isinstance(node, (ast.Module, ast.ClassDef))
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)

    def find() -> Region:
        return _region(function, None, body)

    return analysis.remember(("region of function", node), find, None) or find()


def _names_bound(roots: list[ast.AST], loop: Frame | None) -> dict[str, ast.expr | None]:
    """Every name that is bound within a piece of code, functions in it apart."""
    found: dict[str, ast.expr | None] = {}
    pending = roots[:]
    own = () if loop is None else (loop.node, *getattr(loop.node, "generators", ()))
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:  # type: ignore[attr-defined]
                found[node.id] = None  # type: ignore[attr-defined]
            continue
        if kind is ast.Constant or kind is ast.Lambda:
            continue
        if kind is ast.Assign and len(node.targets) == 1:  # type: ignore[attr-defined]
            names = _plain_names(node.targets[0])  # type: ignore[attr-defined]
            if names:
                value = node.value  # type: ignore[attr-defined]
                found.update({name: None if name in found else value for name in names})
                pending.append(value)
                continue
        if kind in _GOING_OVER and node not in own:
            # The elements of an inner loop are the same where what it goes over is.
            names = _plain_names(node.target)  # type: ignore[attr-defined]
            value = node.iter  # type: ignore[attr-defined]
            is_data = data_words.name_data(names, value)
            found.update({name: None if is_data or name in found else value for name in names})
            pending += [part for part in tree.children(node) if not _binds(part, names)]
            continue
        if kind in _DEFINITIONS:
            found[node.name] = None  # type: ignore[attr-defined]
            continue
        if kind is ast.alias:
            bound = node.asname or node.name  # type: ignore[attr-defined]
            found[bound.partition(".")[0]] = None
            continue
        if kind in _NAMING:
            named = getattr(node, "name", None) or getattr(node, "rest", None)
            if named is not None:
                found[named] = None
        pending += tree.children(node)
    return found


def _binds(node: ast.AST, names: list[str]) -> bool:
    """Whether it is the target that binds these names, or a part of that."""
    targets = node.elts if isinstance(node, ast.Tuple) else [node]
    return bool(names) and all(
        isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) for one in targets
    )


def _plain_names(target: ast.expr) -> list[str]:
    """The names that an assignment binds, to its value or to parts of it, if it does only that."""
    parts = target.elts if type(target) is ast.Tuple else [target]
    names = [part.id for part in parts if type(part) is ast.Name]
    return names if len(names) == len(parts) else []


def _region(scope: Scope, loop: Frame | None, roots: list[ast.AST]) -> Region:
    bound = _names_bound(roots, loop)
    accesses: dict[str, list[Access]] = {}
    called: dict[str, list[Access]] = {}
    for site in scope.calls:
        if loop is not None and loop not in site.frames:
            continue
        own = chain_of(site.node.func)
        if own is not None:
            called.setdefault(own[0], []).append(Access(own, site, on_it=True))
        if isinstance(site.node.func, ast.Attribute):
            chain = holder_of(site.node.func.value)
            if chain is not None:
                accesses.setdefault(chain[0], []).append(Access(chain, site, on_it=True))
        for part in given(site.node):
            chain = holder_of(part)
            if chain is not None:
                accesses.setdefault(chain[0], []).append(Access(chain, site, on_it=False))
    items = {
        chain
        for target, frames in scope.item_writes
        if (loop is None or loop in frames) and (chain := holder_of(target)) is not None
    }
    writes = [w for w in scope.attribute_writes if loop is None or loop in w.frames]
    return Region(
        scope,
        loop,
        bound,
        frozenset(items),
        frozenset(write.attribute for write in writes),
        frozenset(write.base for write in writes),
        {name: tuple(uses) for name, uses in accesses.items()},
        {name: tuple(uses) for name, uses in called.items()},
    )


def given(call: ast.Call) -> Iterator[ast.expr]:
    """What a call is given, and what stands in displays among that."""
    pending = tree.arguments(call)
    while pending:
        argument = pending.pop()
        if isinstance(argument, (ast.Tuple, ast.List)):
            pending += argument.elts
        elif isinstance(argument, ast.Starred):
            # What is joined there is lists, of which the call is given the elements.
            joined = argument.value
            if isinstance(joined, ast.BinOp):
                pending += [joined.left, joined.right]
            else:
                pending.append(joined)
        elif isinstance(argument, ast.IfExp):
            pending += [argument.body, argument.orelse]
        elif isinstance(argument, ast.Dict):
            pending += argument.values
        else:
            yield argument


def sites_of(region: Region) -> Iterator[CallSite]:
    for site in region.scope.calls:
        if region.loop is None or region.loop in site.frames:
            yield site


def last_name(site: CallSite) -> str:
    """The last name of the callee as written, "" where it has none."""
    return scopes.last_name(site.node.func) or ""
