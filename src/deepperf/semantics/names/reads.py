"""What calls without brackets, as calls: attributes that are properties, and `a @ b`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.semantics.names.scopes import COMPREHENSIONS, Branch, CallSite, Frame, Scope, Scopes
from deepperf.semantics.text.tree import Getter, Product, Setter, walk_with_parents

_BRANCHES = {
    "body": Branch.BODY,
    "orelse": Branch.ELSE,
    "handlers": Branch.HANDLER,
    "finalbody": Branch.FINALLY,
}
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Module)


class Reads(Struct, frozen=True, eq=False):
    """The attributes that a module reads or sets by their names, and what each node stands in.

    `products` are what it writes as `a @ b`, outermost first.
    """

    by_name: dict[str, list[ast.Attribute]]
    products: list[ast.BinOp]
    around: dict[int, ast.AST]


def find_reads(scopes: Scopes) -> Reads:
    """Every read of an attribute in a module, every assignment to one, and every product."""
    root = scopes.module.node
    by_name: dict[str, list[ast.Attribute]] = {}
    products: list[ast.BinOp] = []
    nodes, around = walk_with_parents(root)
    for node in nodes:
        kind = type(node)
        if kind is ast.Attribute:
            if type(node.ctx) is not ast.Del:  # type: ignore[attr-defined]
                by_name.setdefault(node.attr, []).append(node)  # type: ignore[attr-defined,arg-type]
        elif kind is ast.BinOp and type(node.op) is ast.MatMult:  # type: ignore[attr-defined]
            products.append(node)  # type: ignore[arg-type]
    return Reads(by_name, products, around)


def as_calls(reads: Reads, name: str, scopes: Scopes) -> list[CallSite]:
    """The attributes of a name that are read or set, as calls.

    The callee of each is a `Getter` or `Setter`, which holds the function that a property runs.
    """
    found = (_as_call(node, reads.around, scopes) for node in reads.by_name.get(name, ()))
    return [site for site in found if site is not None]


def products_as_calls(reads: Reads, scopes: Scopes) -> list[CallSite]:
    """What a module writes as `a @ b`, each as a call that is given the whole."""
    found = []
    for node in reads.products:
        place = _place(node, reads.around, scopes)
        if place is not None:
            method = ast.copy_location(Product(node, "__matmul__", ast.Load()), node)
            call = ast.copy_location(ast.Call(method, [node], []), node)
            found.append(CallSite(call, *place))
    return found


def _as_call(node: ast.Attribute, around: dict[int, ast.AST], scopes: Scopes) -> CallSite | None:
    place = _place(node, around, scopes)
    if place is None:
        return None
    kind = Getter if isinstance(node.ctx, ast.Load) else Setter
    accessor = ast.copy_location(kind(node.value, node.attr, ast.Load()), node)
    given = [] if kind is Getter else _assigned(place[2], node)
    if given is None:
        return None
    return CallSite(ast.copy_location(ast.Call(accessor, given, []), node), *place)


def _place(
    node: ast.expr, around: dict[int, ast.AST], scopes: Scopes
) -> tuple[Scope, tuple[Frame, ...], ast.stmt] | None:
    """The scope, the frames and the statement that an expression stands in."""
    ways = list(_upwards(node, around))
    statement = next((outer for outer, _ in ways if isinstance(outer, ast.stmt)), None)
    ends = [index for index, (outer, part) in enumerate(ways) if _begins_scope(outer, part)]
    if not ends or statement is None:
        return None
    scope = scopes.by_node.get(id(ways[ends[0]][0]))
    if scope is None:
        return None
    inner = [node, *(part for _, part in ways)]
    frames = [
        _frame(outer, part, below, scope, scopes)
        for (outer, part), below in zip(ways[: ends[0]], inner, strict=False)
    ]
    return scope, tuple(f for f in reversed(frames) if f is not None), statement


def _assigned(statement: ast.stmt, target: ast.Attribute) -> list[ast.expr] | None:
    """What a statement gives an attribute that it sets as a whole."""
    if isinstance(statement, ast.Assign) and any(t is target for t in statement.targets):
        return [statement.value]
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign)) and statement.target is target:
        return [statement.value] if statement.value is not None else None
    return None


def _upwards(node: ast.AST, around: dict[int, ast.AST]) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What a node stands in, innermost first, each with the part of it that it stands in."""
    part = node
    while (outer := around.get(id(part))) is not None:
        yield outer, part
        part = outer


def _begins_scope(outer: ast.AST, part: ast.AST) -> bool:
    if not isinstance(outer, _DEFINING):
        return False
    body = outer.body
    return part is body if isinstance(body, ast.AST) else any(part is stmt for stmt in body)


def _frame(
    outer: ast.AST, part: ast.AST, below: ast.AST, scope: Scope, scopes: Scopes
) -> Frame | None:
    """The frame that a compound statement or comprehension is around a part, and what is below."""
    if isinstance(outer, COMPREHENSIONS):
        first = outer.generators[0]
        # The first iterable is evaluated once; what stands in it is no iteration's.
        is_once = part is first and below is first.iter
        return None if is_once else scopes.loop_frames.get(id(outer))
    if isinstance(outer, _LOOPS):
        is_turn = _branch(outer, part) is Branch.BODY or part is getattr(outer, "test", None)
        return scopes.loop_frames.get(id(outer)) if is_turn else None
    branch = _branch(outer, part) if isinstance(outer, ast.stmt) else None
    return Frame(outer, branch, scope) if branch is not None else None


def _branch(outer: ast.AST, part: ast.AST) -> Branch | None:
    for name, branch in _BRANCHES.items():
        if any(part is inner for inner in getattr(outer, name, ())):
            return branch
    return None
