"""Where a call stands in a loop and what becomes of its result, by the text around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, passes
from deepperf.semantics.loops.regions import Region, last_name
from deepperf.semantics.names.scopes import COMPREHENSIONS, Branch, CallSite, Frame
from deepperf.semantics.names.scopes import last_name as last_name_of
from deepperf.semantics.text import tree
from deepperf.semantics.writes import harmless, writes

_PLACING = frozenset(("default_device", "device"))
"""Names of what says, in a `with` statement, which device computes."""
_LEAVING = (ast.Return, ast.Raise, ast.Break)


def turns_seldom(analysis: Analysis, loop: Frame) -> bool:
    """Whether a loop is known to turn only a few times, or its first turn normally leaves it."""
    return loops.is_tiny(analysis, loop) or _ends_in_first_turn(loop.node)


def _ends_in_first_turn(node: ast.AST) -> bool:
    """Whether a turn normally leaves the loop: searches, retries."""
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body:
        return False
    last = body[-1]
    if isinstance(last, _LEAVING):
        return True
    attempts = [statement for statement in body if isinstance(statement, ast.Try)]
    return any(
        isinstance(statement, _LEAVING)
        for attempt in attempts
        for block in (attempt.body, attempt.orelse, attempt.finalbody)
        for statement in block[-1:]
    )


def is_hot(analysis: Analysis, innermost: Frame, around: tuple[Frame, ...]) -> bool:
    """Whether the turns around a call are many, and short enough for it to matter."""
    if all(turns_seldom(analysis, loop) for loop in around):
        return False
    return not (
        any(isinstance(part, (ast.For, ast.AsyncFor, ast.While)) for part in _below(innermost))
        and passes.over(analysis, innermost) is loops.LoopOver.EPOCHS
    )


def _below(loop: Frame) -> Iterator[ast.AST]:
    return (part for part in tree.walk(loop.node) if part is not loop.node)


def is_set_aside(site: CallSite) -> bool:
    """Whether the call seldom runs, runs last, or runs for nothing, by its statement alone."""
    statement = site.statement
    if isinstance(statement, (*_LEAVING, ast.Assert)):
        return not site.frames or not _in_comprehension(site)
    for frame in site.frames:
        if frame.branch is Branch.HANDLER or frame.branch is Branch.FINALLY:
            return True
        if isinstance(frame.node, (ast.If, ast.Try)):
            block = frame.node.body if frame.branch is Branch.BODY else frame.node.orelse
            if block and isinstance(block[-1], _LEAVING):
                return True
    return False


def _in_comprehension(site: CallSite) -> bool:
    return isinstance(site.frames[-1].node, COMPREHENSIONS)


def is_read(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether a turn uses the result: else it is a measurement, or made for after the loop."""
    statement = site.statement
    if isinstance(statement, ast.Expr) and _begins(statement.value, tree.written(site.node)):
        return False
    assert region.loop is not None
    if isinstance(statement, ast.Assign) and isinstance(
        statement.targets[0], (ast.Name, ast.Tuple)
    ):
        names = tree.names_in(*statement.targets)
        return not names.isdisjoint(_names_read(analysis, region.loop))
    return True


def _names_read(analysis: Analysis, loop: Frame) -> frozenset[str]:
    def find() -> frozenset[str]:
        return frozenset(
            part.id
            for part in tree.walk(loop.node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
        )

    return analysis.remember(("names read", loop.node), find, frozenset())


def is_placed_anew(site: CallSite, region: Region) -> bool:
    """Whether each turn says which device is to compute it, by what it goes over."""
    loop = region.loop
    if loop is None or loop not in site.frames:
        return False
    inside = site.frames[site.frames.index(loop) :]
    turning = {name for frame in inside if frame.is_loop for name in loops.targets(frame)}
    return any(
        isinstance(part, ast.Call)
        and last_name_of(part.func) in _PLACING
        and not turning.isdisjoint(tree.names_in(*tree.arguments(part)))
        for frame in inside
        if isinstance(frame.node, (ast.With, ast.AsyncWith))
        for item in frame.node.items
        for part in tree.walk(item.context_expr)
    )


def _begins(whole: ast.expr, node: ast.expr) -> bool:
    """Whether an expression is a call, or made of its result: `f(x)`, `f(x).cpu()`, `2 * f(x)`."""
    if isinstance(whole, (ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Attribute)):
        return any(part is node for part in tree.walk(whole))
    while whole is not node and isinstance(whole, ast.Call):
        whole = whole.func.value if isinstance(whole.func, ast.Attribute) else whole.func
    return whole is node


def is_kept(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether each turn needs a result of its own: it is written to, or stored as it is."""
    fact = callgraph.fact_at(analysis, site)
    if fact is not None and fact.framework in ("tensorflow", "jax", "keras"):
        return False
    statement = site.statement
    node = tree.written(site.node)
    parent = _parent(statement, node)
    if isinstance(parent, ast.Call):
        function = parent.func
        name = getattr(function, "attr", None) or getattr(function, "id", "")
        return name in writes.KEEPING
    if isinstance(parent, (*COMPREHENSIONS, ast.Yield, ast.Dict)):
        return True
    if not (isinstance(statement, ast.Assign) and statement.value is node):
        return False
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return isinstance(target, ast.Subscript)
    if any(chain[0] == target.id for chain in writes.written_objects(analysis, region)):
        return True
    for access in region.accesses.get(target.id, ()):
        called = last_name(access.site)
        if access.on_it and harmless.writes_by_name(called):
            return True
        if not access.on_it and called in writes.KEEPING and len(access.chain) == 1:
            return True
    assert region.loop is not None
    return any(_stores(part, target.id) for part in tree.walk(region.loop.node))


def _stores(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    if isinstance(node, (ast.Assign, ast.Yield)):
        return isinstance(node.value, ast.Name) and node.value.id == name
    return False


def _parent(root: ast.AST, node: ast.AST) -> ast.AST | None:
    for part in tree.walk(root):
        if any(child is node for child in tree.children(part)):
            return part
    return None
