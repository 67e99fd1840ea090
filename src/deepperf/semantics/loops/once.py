"""What runs at most once though it stands in a loop, or in a function that is called again."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import bodies, guards
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.text import tree


def runs_once(analysis: Analysis, site: CallSite, loop: Frame | None) -> bool:
    """Whether a call runs in one iteration of `loop` at most, or in one call of its function.

    `loop` is a loop around the call, None to ask about the calls of its function. Guards that
    keep what was made, failed attempts and turns that leave the loop count; a condition of
    which nothing is known does not.
    """
    frames = site.frames
    if loop is not None:
        frames = frames[frames.index(loop) + 1 :]
        if leaves(site, loop):
            return True
    elif site.scope.kind is ScopeKind.FUNCTION and (
        is_memoized(analysis, site.scope) or guards.comes_after_return(analysis, site)
    ):
        return True
    body = site.scope.node if loop is None else loop.node
    return any(guards.is_first_time(analysis, frame, site, loop) for frame in frames) or any(
        guards.is_kept(analysis, reference, body, site, loop)
        for test, taken in bodies.choices(analysis, site)
        for reference in guards.missing(test, taken)
    )


def is_for_one_turn(frames: tuple[Frame, ...]) -> bool:
    """Whether a condition around asks for one certain number, and not for each n-th.

    What is of one kind, or as long, is asked for in any iteration.
    """
    return any(
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Eq)
        and not any(_tells_kind(side) for side in (test.left, *test.comparators))
        and not any(isinstance(getattr(part, "op", None), ast.Mod) for part in tree.walk(test))
        # What stands in the other branch runs in all iterations but one.
        for test in contexts.guards(tuple(f for f in frames if f.branch is Branch.BODY))
    )


def _tells_kind(node: ast.expr) -> bool:
    """Whether it is a text, or how many parts or axes something has: no number of an iteration."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", None) == "len"
    if isinstance(node, ast.Subscript):
        return _tells_kind(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr in ("ndim", "ndims", "shape", "rank")
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def leaves(site: CallSite, loop: Frame) -> bool:
    """Whether the iteration that runs a call is the last one of the loop."""
    inside = caught = False
    for frame in site.frames[site.frames.index(loop) :]:
        inside = inside or (frame.is_loop and frame is not loop)
        # An error may end what goes on for ever, and the loop goes on.
        caught = caught or (isinstance(frame.node, ast.Try) and frame.branch is Branch.BODY)
        block = _block(frame)
        if not block:
            continue
        last = block[-1]
        while isinstance(last, (ast.With, ast.AsyncWith)):
            last = last.body[-1]
        if not caught and _never_ends(last):
            return True
        if isinstance(last, (ast.Return, ast.Raise)):
            return True
        if (isinstance(last, ast.Break) or _ends_test(block, loop)) and not inside:
            return True
    return False


def _ends_test(block: list[ast.stmt], loop: Frame) -> bool:
    """Whether a block sets the flag that a `while` asks for, as one that tries again does."""
    test = getattr(loop.node, "test", None)
    is_negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    flag = test.operand if is_negated else test  # type: ignore[union-attr]
    return isinstance(flag, ast.Name) and any(
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and bool(statement.value.value) is is_negated
        and any(isinstance(one, ast.Name) and one.id == flag.id for one in statement.targets)
        for statement in block
    )


def _never_ends(statement: ast.stmt) -> bool:
    """Whether it is a loop that nothing ends but an error, or what ends the function."""
    if not isinstance(statement, ast.While) or not isinstance(statement.test, ast.Constant):
        return False
    pending: list[ast.AST] = [*statement.body]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Break):
            return False
        if not isinstance(part, (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.ClassDef)):
            pending.extend(tree.children(part))
        elif isinstance(part, (ast.For, ast.AsyncFor, ast.While)):
            # A loop within has a break of its own, but for the one after it.
            pending.extend(part.orelse)
    return bool(statement.test.value)


def is_last(site: CallSite, loop: Frame) -> bool:
    """Whether a condition around a call ends the loop: `if done:` in `while not done:`."""
    if not isinstance(loop.node, ast.While) or loop not in site.frames:
        return False
    test = loop.node.test
    if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        return False
    ending = ast.unparse(test.operand)
    return any(
        isinstance(frame.node, ast.If)
        and frame.branch is Branch.BODY
        and ast.unparse(frame.node.test) == ending
        for frame in site.frames[site.frames.index(loop) + 1 :]
    )


def _block(frame: Frame) -> list[ast.stmt]:
    part = "orelse" if frame.branch is Branch.ELSE else "body"
    if frame.branch is Branch.FINALLY:
        part = "finalbody"
    if frame.branch is Branch.HANDLER:
        return []
    found = getattr(frame.node, part, [])
    return found if isinstance(found, list) else []


def is_memoized(analysis: Analysis, function: Scope) -> bool:
    """Whether a decorator keeps what the function returned."""
    return Trait.MEMOIZES in contexts.decorator_traits(analysis, function)
