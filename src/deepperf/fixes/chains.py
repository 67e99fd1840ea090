"""Edits to chains of method calls, in one expression or over assignments to a variable.

A call is given by the characters of its expression. Both functions answer None where the edit
cannot be made with certainty: where anything else reads what a call in between returns, say.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from msgspec import Struct

from deepperf.fixes.positions import Lines, lines_of, parsed
from deepperf.fixes.statements import whole_lines
from deepperf.records import Edit

Span = tuple[int, int]
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)


def move_behind(text: str, earlier: Span, later: Span) -> tuple[Edit, ...] | None:
    """Call a method behind one that is called later: `x.a().b()` becomes `x.b().a()`."""
    chain = _chain(text, earlier, later)
    if chain is None:
        return None
    return _exchanged(chain) or _moved(chain, chain.earlier, later[1])


def move_before(text: str, later: Span, earlier: Span) -> tuple[Edit, ...] | None:
    """Call a method before one that is called earlier: `x.a().b()` becomes `x.b().a()`."""
    chain = _chain(text, earlier, later)
    return None if chain is None else _moved(chain, chain.later, chain.start(chain.earlier))


class _Chain(Struct, frozen=True):
    """Two method calls of which only the later works on what the earlier returns."""

    lines: Lines
    parents: Mapping[ast.AST, ast.AST]
    earlier: ast.Call
    later: ast.Call

    def start(self, call: ast.Call) -> int:
        """Where the receiver of a method call ends."""
        assert isinstance(call.func, ast.Attribute)
        return self.lines.span(call.func.value)[1]

    def statement(self, node: ast.AST) -> ast.stmt:
        return next(one for one in self.around(node) if isinstance(one, ast.stmt))

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """A node and what it is a part of, the innermost first."""
        while True:
            yield node
            if node not in self.parents:
                return
            node = self.parents[node]

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        parts = vars(self.parents[statement]).values()
        return next(part for part in parts if isinstance(part, list) and statement in part)


def _chain(text: str, earlier: Span, later: Span) -> _Chain | None:
    tree = parsed(text)
    if tree is None:
        return None
    lines = lines_of(text)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found = {lines.span(node): node for node in parents if isinstance(node, ast.Call)}
    one, other = found.get(earlier), found.get(later)
    if one is None or other is None or _receiver(one) is None:
        return None
    chain = _Chain(lines, parents, one, other)
    return chain if _is_linked(chain) else None


def _is_linked(chain: _Chain) -> bool:
    """Whether receivers, over variables that nothing else reads, lead from one to the other."""
    node: ast.AST | None = _receiver(chain.later)
    while node is not None and node is not chain.earlier:
        node = _receiver(node) if isinstance(node, ast.Call) else _value(chain, node)
    return node is chain.earlier


def _receiver(call: ast.Call) -> ast.expr | None:
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def _value(chain: _Chain, name: ast.AST) -> ast.expr | None:
    """What the same block assigns to a name that is read here alone."""
    if not isinstance(name, ast.Name):
        return None
    place = chain.statement(name)
    block = chain.block(place)
    made = [one for one in block if isinstance(one, ast.Assign) and _target(one) == name.id]
    before = [one for one in made if one.lineno < place.lineno]
    around = [*chain.around(name)]
    scope = next(one for one in around if isinstance(one, _SCOPES))
    if not before or any(isinstance(one, _LOOPS) for one in around[: around.index(scope)]):
        return None
    names = [one for one in ast.walk(scope) if isinstance(one, ast.Name) and one.id == name.id]
    if sum(not isinstance(one.ctx, ast.Load) for one in names) != len(made):
        return None
    last = before[-1]
    later = [one for one in made if one.lineno > last.lineno]
    end = later[0].end_lineno or 0 if later else max(one.lineno for one in names)
    first = last.end_lineno or 0
    uses = [one for one in names if isinstance(one.ctx, ast.Load) and first < one.lineno <= end]
    return last.value if uses == [name] else None


def _target(statement: ast.stmt) -> str:
    """The name that an assignment sets, if it sets nothing else."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return target.id if isinstance(target, ast.Name) else ""
    return ""


def _moved(chain: _Chain, call: ast.Call, target: int) -> tuple[Edit, ...] | None:
    start, end = chain.start(call), chain.lines.span(call)[1]
    method = chain.lines.text[start:end]
    # A receiver in parentheses ends before them, and a comment would be moved with its line.
    if not method.lstrip().startswith(".") or "#" in method:
        return None
    places = {chain.statement(one) for one in (chain.earlier, chain.later)}
    moved = method if len(places) == 1 else method.strip()
    return _rest(chain, call) or Edit(start, end, ""), Edit(target, target, moved)


def _exchanged(chain: _Chain) -> tuple[Edit, ...] | None:
    """`x = x.a()` and a statement with `x.b()` get each other's methods, if each is on a line."""
    root: ast.expr | None = chain.later
    while isinstance(root, ast.Call):
        root = _receiver(root)
    start, end = chain.start(chain.earlier), chain.lines.span(chain.earlier)[1]
    if root is None or _rest(chain, chain.earlier) is None:
        return None
    stop, last = chain.lines.span(root)[1], chain.lines.span(chain.later)[1]
    one, other = chain.lines.text[start:end], chain.lines.text[stop:last]
    is_same = isinstance(root, ast.Name) and root.id == _target(chain.statement(chain.earlier))
    if not is_same or "\n" in one + other or not (one[0] == other[0] == "."):
        return None
    return Edit(start, end, other), Edit(stop, last, one)


def _rest(chain: _Chain, call: ast.Call) -> Edit | None:
    """The lines of a statement `x = x.method()`, of which nothing is left."""
    statement, receiver = chain.statement(call), _receiver(call)
    is_all = isinstance(statement, ast.Assign) and statement.value is call
    if not is_all or not isinstance(receiver, ast.Name) or _target(statement) != receiver.id:
        return None
    place = whole_lines(chain.lines.text, chain.lines.span(statement))
    return None if place is None or len(chain.block(statement)) < 2 else Edit(*place, "")
