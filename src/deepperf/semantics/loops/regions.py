"""A piece of code that runs again and again, and what its text binds, sets and calls.

A region is a loop's body, or a whole function when a call of it is one iteration of a loop
elsewhere. Many questions are asked of each, so what its text tells is read off the tree once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names import scopes
from deepperf.semantics.names.scopes import CallSite, Frame, Scope
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain, chain_of

_DEFINITIONS = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
_GOING_OVER = frozenset((ast.For, ast.AsyncFor, ast.comprehension))
_NAMING = frozenset((ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping))


class Access(Struct, eq=False):
    """A call that is given a reference, or made on it."""

    chain: Final[Chain]
    site: Final[CallSite]
    on_it: Final[bool]


class Region(Struct, frozen=True, eq=False):
    """A loop's body, or with `loop` None the body of a function.

    `bound` are the names that it binds, a function's parameters apart, with what it assigns to
    them or unpacks, None unless it does that in one place; `rebound` are those to which it does
    nothing else, but in several places; `items` are the references whose items it sets,
    `attributes` the attributes that it sets on anything, `objects` the names on which it sets
    one; `accesses` are the calls that are given something or made on it, by its first name, and
    `called` those of what is called itself, as `x.y` is in `x.y(z)`. `may_be_steady` keeps what
    `varying` has answered about it.
    """

    scope: Scope
    loop: Frame | None
    bound: dict[str, ast.expr | None]
    rebound: dict[str, tuple[ast.expr, ...]]
    items: frozenset[Chain]
    attributes: frozenset[str]
    objects: frozenset[str]
    accesses: dict[str, tuple[Access, ...]]
    called: dict[str, tuple[Access, ...]]
    may_be_steady: dict[tuple[ast.expr, frozenset[str]], bool] = field(default_factory=dict)


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


class _Bindings(Struct, frozen=True):
    """What a piece of code assigns to each name, and the names that it binds in other ways."""

    assigned: dict[str, list[ast.expr]] = field(default_factory=dict)
    otherwise: set[str] = field(default_factory=set)

    def once(self) -> dict[str, ast.expr | None]:
        found: dict[str, ast.expr | None] = dict.fromkeys(self.otherwise)
        for name, values in self.assigned.items():
            found[name] = None if name in found or len(values) > 1 else values[0]
        return found

    def again(self) -> dict[str, tuple[ast.expr, ...]]:
        return {
            name: tuple(values)
            for name, values in self.assigned.items()
            if name not in self.otherwise and len(values) > 1
        }


def _names_bound(roots: list[ast.AST], loop: Frame | None) -> _Bindings:
    """Every name that is bound within a piece of code, functions in it apart."""
    found = _Bindings()
    augmented: set[str] = set()
    pending = roots[:]
    own = () if loop is None else (loop.node, *getattr(loop.node, "generators", ()))
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:  # type: ignore[attr-defined]
                found.otherwise.add(node.id)  # type: ignore[attr-defined]
            continue
        if kind is ast.Constant or kind is ast.Lambda:
            continue
        if kind is ast.Assign and len(node.targets) == 1:  # type: ignore[attr-defined]
            names = _plain_names(node.targets[0])  # type: ignore[attr-defined]
            if names:
                value = node.value  # type: ignore[attr-defined]
                for name in names:
                    found.assigned.setdefault(name, []).append(value)
                pending.append(value)
                continue
        if kind is ast.AugAssign and type(node.target) is ast.Name:  # type: ignore[attr-defined]
            value = node.value  # type: ignore[attr-defined]
            found.assigned.setdefault(node.target.id, []).append(value)  # type: ignore[attr-defined]
            augmented.add(node.target.id)  # type: ignore[attr-defined]
            pending.append(value)
            continue
        if kind in _GOING_OVER and node not in own:
            # The elements of an inner loop are the same where what it goes over is.
            pairs = parts_gone_over(node.target, node.iter)  # type: ignore[attr-defined]
            names = [name for name, _ in pairs]
            if not _is_written_out(node.iter):  # type: ignore[attr-defined]
                found.otherwise.update(names)
            else:
                for name, value in pairs:
                    found.assigned.setdefault(name, []).append(value)
            pending += [part for part in tree.children(node) if not _binds(part, names)]
            continue
        if kind in _DEFINITIONS:
            found.otherwise.add(node.name)  # type: ignore[attr-defined]
            continue
        if kind is ast.alias:
            bound = node.asname or node.name  # type: ignore[attr-defined]
            found.otherwise.add(bound.partition(".")[0])
            continue
        if kind in _NAMING:
            named = getattr(node, "name", None) or getattr(node, "rest", None)
            if named is not None:
                found.otherwise.add(named)
        pending += tree.children(node)
    # What only grows from iteration to iteration is begun elsewhere.
    found.otherwise.update(name for name in augmented if len(found.assigned[name]) == 1)
    return found


def _is_written_out(iterable: ast.expr) -> bool:
    """Whether the text says one by one what a loop goes over, or it counts: the same each time.

    What anything else gives may be in another order each time, as batches are.
    """
    if isinstance(iterable, ast.Call):
        name = getattr(iterable.func, "id", "")
        if name in ("enumerate", "zip", "reversed", "sorted"):
            return all(_is_written_out(part) for part in iterable.args)
        return name == "range"
    return isinstance(iterable, (ast.Tuple, ast.List, ast.Constant))


def parts_gone_over(target: ast.expr, iterable: ast.expr) -> list[tuple[str, ast.expr]]:
    """The names that a loop binds, each with what it goes over for that; none if in other ways."""
    if isinstance(target, ast.Name):
        return [(target.id, iterable)]
    called = iterable.func if isinstance(iterable, ast.Call) else None
    if isinstance(target, ast.Tuple) and isinstance(iterable, ast.Call):
        parts = iterable.args
        if getattr(called, "id", "") == "enumerate" and len(target.elts) == 2 and parts:
            parts = [iterable, parts[0]]
        elif getattr(called, "id", "") != "zip" or len(parts) != len(target.elts):
            parts = []
        if parts and not any(isinstance(part, ast.Starred) for part in parts):
            found = [
                parts_gone_over(one, part) for one, part in zip(target.elts, parts, strict=True)
            ]
            return [pair for some in found for pair in some] if all(found) else []
    return [(name, iterable) for name in _plain_names(target)]


def _binds(node: ast.AST, names: list[str]) -> bool:
    """Whether it is the target that binds these names, or a part of that."""
    if isinstance(node, ast.Tuple):
        return bool(names) and all(_binds(one, names) for one in node.elts)
    return bool(names) and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _plain_names(target: ast.expr) -> list[str]:
    """The names that an assignment binds, to its value or to parts of it, if it does only that."""
    parts = target.elts if type(target) is ast.Tuple else [target]
    names = [part.id for part in parts if type(part) is ast.Name]
    return names if len(names) == len(parts) else []


def _region(scope: Scope, loop: Frame | None, roots: list[ast.AST]) -> Region:
    names = _names_bound(roots, loop)
    bound = names.once()
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
        names.again(),
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
