"""Where the results of a loop's iterations go."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Display
from deepperf.semantics.vectorization.slices import Taken, index_taken, taken


def is_kept(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether what a call in the loop gives is kept, one result per iteration, or added up."""
    return _is_kept(analysis, site, loop, _holds)


def all_returned(function: Scope) -> ast.expr | None:
    """The expression that a function returns and does nothing else; None where it does more."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return node.body
    if not isinstance(node, ast.FunctionDef):
        return None
    body = [s for s in node.body if not isinstance(getattr(s, "value", None), ast.Constant)]
    only = body[0] if len(body) == 1 else None
    return only.value if isinstance(only, ast.Return) else None


def _is_kept(
    analysis: Analysis,
    site: CallSite,
    loop: Frame,
    holds: Callable[[ast.expr, ast.AST], bool],
) -> bool:
    node = loop.node
    if isinstance(node, COMPREHENSIONS):
        if isinstance(node, (ast.DictComp, ast.SetComp)) or any(g.ifs for g in node.generators):
            return False
        return holds(node.elt, site.node)
    if not _goes_through(node):
        return False
    assert isinstance(node, (ast.For, ast.While))
    names: set[str] = set()
    for statement in _statements(node.body):
        value = _kept_value(analysis, statement, loop)
        if value is None:
            continue
        if holds(value, site.node):
            return True
        names |= _held_names(value, holds)
    for _ in range(3):
        for statement in _statements(node.body):
            if not isinstance(statement, ast.Assign) or not _binds(statement, names):
                continue
            if _is_state(node, statement):
                continue
            if holds(statement.value, site.node):
                return True
            names |= _held_names(statement.value, holds)
    return False


def _goes_through(node: ast.AST) -> bool:
    """Whether all iterations of a loop run, and how many they are does not rest on what
    they make.
    """
    if isinstance(node, ast.While):
        return _only_counts(node) and not _leaves(node.body)
    return isinstance(node, ast.For) and not _leaves(node.body)


def _only_counts(node: ast.While) -> bool:
    """Whether a loop turns until a counter, or the length of what it fills, is large enough."""
    test = node.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    counters = {
        part.target.id
        for part in node.body
        if isinstance(part, ast.AugAssign)
        and isinstance(part.target, ast.Name)
        and isinstance(part.value, ast.Constant)
    }
    stored = {
        part.id
        for statement in node.body
        for part in tree.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    sides = (test.left, test.comparators[0])
    counting = [side for side in sides if _is_length(side) or getattr(side, "id", "") in counters]
    others = [side for side in sides if side not in counting]
    return len(counting) == 1 and stored.isdisjoint(tree.names_in(*others))


def _is_length(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "len"


def _held_names(whole: ast.expr, holds: Callable[[ast.expr, ast.AST], bool]) -> set[str]:
    """The names whose values an expression is made of, in the sense of `holds`."""
    return {
        part.id for part in tree.walk(whole) if isinstance(part, ast.Name) and holds(whole, part)
    }


def may_be_kept(analysis: Analysis, site: CallSite) -> bool:
    """Whether, by texts alone, a loop around a call keeps what it makes of its iterations'
    names.
    """
    return any(
        id(site.node) in _kept_in(analysis, frame) and reads_turn(analysis, site.node, frame)
        for frame in site.frames
        if frame.is_loop
    )


def _kept_in(analysis: Analysis, loop: Frame) -> frozenset[int]:
    """The calls in a loop whose results it may keep, by id."""
    nothing: frozenset[int] = frozenset()
    return analysis.remember(
        ("may be kept", loop.node), lambda: frozenset(_find_kept(loop.node)), nothing
    )


def _find_kept(node: ast.AST) -> Iterator[int]:
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        if not any(generator.ifs for generator in node.generators):
            yield from _calls_in(node.elt)
        return
    if not _goes_through(node):
        return
    assert isinstance(node, (ast.For, ast.While))
    statements = list(_statements(node.body))
    if not any(_may_keep(statement) for statement in statements):
        return
    for statement in statements:
        if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr)):
            yield from _calls_in(statement.value)


def _calls_in(node: ast.expr) -> Iterator[int]:
    return (id(part) for part in tree.walk(node) if isinstance(part, ast.Call))


def _may_keep(statement: ast.stmt) -> bool:
    """Whether a statement may put something into a list or a place, or add it to a total."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return last_name(statement.value.func) == "append"
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.op, ast.Add) or isinstance(statement.target, ast.Subscript)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    value = statement.value
    writes = isinstance(value, ast.Call) and last_name(value.func) == "write"
    # A total may be written out: `total = total + part`.
    return writes or isinstance(value, ast.BinOp) or isinstance(statement.targets[0], ast.Subscript)


def _bound_in(analysis: Analysis, loop: Frame) -> set[str]:
    """The names that the iterations of a loop bind anew."""
    nothing: set[str] = set()
    return analysis.remember(("bound in", loop.node), lambda: _find_bound(loop), nothing)


def _find_bound(loop: Frame) -> set[str]:
    found = loops.targets(loop)
    if isinstance(loop.node, (ast.For, ast.While)):
        for statement in loop.node.body:
            found |= {
                part.id
                for part in tree.walk(statement)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            }
    return found


def reads_turn(analysis: Analysis, node: ast.expr, loop: Frame) -> bool:
    """Whether an expression names something that the iterations of a loop bind anew."""
    return _reads(node, _bound_in(analysis, loop))


def _reads(node: ast.expr, names: set[str]) -> bool:
    """Whether one of `names` stands in an expression: in a call, as argument or callee too."""
    return any(isinstance(part, ast.Name) and part.id in names for part in tree.walk(node))


def _binds(statement: ast.Assign, names: set[str]) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id in names
        for target in statement.targets
        for part in tree.walk(target)
        if isinstance(target, (ast.Name, ast.Tuple))
    )


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop's body that run in every iteration, those of loops inside too."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.For, ast.With)):
            yield from _statements(statement.body)


def _kept_value(analysis: Analysis, statement: ast.stmt, loop: Frame) -> ast.expr | None:
    """What a statement puts into a list or a place of an array, or adds to a total."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if last_name(call.func) == "append" and len(call.args) == 1:
            return call.args[0]
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Name) and (added := _added(target, value)) is not None:
            return None if _is_state(loop.node, statement) else added
        if isinstance(target, ast.Subscript):
            is_own = _is_own_place(analysis, target.slice, loop)
            return value if is_own and not _is_dict(analysis, target, loop) else None
        if isinstance(value, ast.Call) and last_name(value.func) == "write" and value.args:
            return value.args[-1]
    if isinstance(statement, ast.AugAssign):
        target = statement.target
        if isinstance(statement.op, ast.Add):
            return statement.value
        if isinstance(target, ast.Subscript):
            place = index_taken(analysis, target.slice, loop.scope, loop)
            return statement.value if place is Taken.COUNTER else None
    return None


def _is_own_place(analysis: Analysis, index: ast.expr, loop: Frame) -> bool:
    """Whether an index tells a place by the iteration's number: one, or a block of several."""
    place = index_taken(analysis, index, loop.scope, loop)
    if place is not Taken.OTHER:
        return place is Taken.COUNTER
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    blocks = [part for part in parts if _is_block(analysis, part, loop)]
    others = (index_taken(analysis, part, loop.scope, loop) for part in parts if part not in blocks)
    return bool(blocks) and all(kind in (Taken.FIXED, Taken.COUNTER) for kind in others)


def _is_block(analysis: Analysis, part: ast.expr, loop: Frame) -> bool:
    """Whether it is a slice whose bounds the iteration's number tells, as `i * n : (i + 1)
    * n` is.
    """
    if not isinstance(part, ast.Slice) or part.step is not None:
        return False
    if part.lower is None or part.upper is None:
        return False
    bounds = [taken(analysis, bound, loop.scope, loop) for bound in (part.lower, part.upper)]
    return all(bound is Taken.COUNTER for bound in bounds)


def _is_state(loop: ast.AST, statement: ast.Assign) -> bool:
    """Whether what is set rests on what it was, and turns also set it to something else."""
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or target.id not in tree.names_in(statement.value):
        return False
    stored = [
        part
        for part in tree.walk(loop)
        if isinstance(part, ast.Name) and part.id == target.id and isinstance(part.ctx, ast.Store)
    ]
    return len(stored) > 1


def _added(total: ast.Name, value: ast.expr) -> ast.expr | None:
    """What is added to a total that is written out: `x` of `total = total + x`."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    for before, added in ((value.left, value.right), (value.right, value.left)):
        if isinstance(before, ast.Name) and before.id == total.id:
            return added
    return None


def _is_dict(analysis: Analysis, target: ast.Subscript, loop: Frame) -> bool:
    held = values.evaluate(analysis, target.value, loop.scope)
    return any(isinstance(t, Display) and isinstance(t.node, ast.Dict) for t in held)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether an iteration may end the loop: then not all of its work is wanted."""
    return any(
        isinstance(part, (ast.Break, ast.Return, ast.Continue))
        for statement in body
        for part in tree.walk(statement)
    )


def _holds(whole: ast.AST, part: ast.AST) -> bool:
    return any(inner is part for inner in tree.walk(whole))
