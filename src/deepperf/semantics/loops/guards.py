"""Conditions under which code runs once: what they ask for is missing the first time alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import bodies, lowered
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.writes import attributes

_ANEW = ("force", "rebuild", "recompile", "refresh", "reload", "reset")


def is_first_time(analysis: Analysis, frame: Frame, site: CallSite, loop: Frame | None) -> bool:
    """Whether a frame around a call is entered once: in one iteration of `loop`, or in one call."""
    if isinstance(frame.node, ast.Try):
        return frame.branch is Branch.HANDLER
    if not isinstance(frame.node, ast.If):
        return False
    if loop is not None and _singles_out(frame.node.test, frame.branch, loop):
        return True
    if _is_another_than_remembered(frame.node, frame.branch):
        return True
    if lowered.is_lowered(analysis, frame, site, loop):
        return True
    return any(
        is_kept(analysis, reference, frame.node, site, loop)
        for reference in missing(frame.node.test, frame.branch)
    ) or (frame.branch is Branch.BODY and _is_raised_once(analysis, frame.node.test, site, loop))


def _is_another_than_remembered(node: ast.If, taken: Branch) -> bool:
    """Whether an object is asked for being the one of the last time, and then remembered.

    `if f is not self.f: self.run, self.f = compile(f), f`. A number that has grown is none.
    """
    wanted = ast.IsNot if taken is Branch.BODY else ast.Is
    test = node.test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], wanted):
        return False
    sides = (test.left, test.comparators[0])
    block = node.body if taken is Branch.BODY else node.orelse
    return any(
        isinstance(held, ast.Attribute)
        and isinstance(given, (ast.Name, ast.Attribute))
        and any(
            ast.unparse(target) == ast.unparse(held) and ast.unparse(value) == ast.unparse(given)
            for statement in block
            for target, value in _assigned(statement)
        )
        for held, given in (sides, sides[::-1])
    )


def _assigned(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a statement sets, each with what it sets it to."""
    if not isinstance(statement, ast.Assign):
        return
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            yield from zip(target.elts, statement.value.elts, strict=False)
        else:
            yield target, statement.value


def _is_raised_once(analysis: Analysis, flag: ast.expr, site: CallSite, loop: Frame | None) -> bool:
    """Whether a function's own flag, down unless a call raises it, goes up at a first time only.

    `if self.session is None: self.session, anew = open(), True`, and then `if anew: …`.
    """
    node = site.scope.node
    if not isinstance(flag, ast.Name) or not isinstance(node, (ast.FunctionDef, ast.Lambda)):
        return False
    default = bodies.defaults(site.scope).get(flag.id)
    if not isinstance(default, ast.Constant) or default.value:
        return False
    raised = [
        (part, around)
        for around in tree.walk(node)
        if isinstance(around, ast.If)
        for part in around.body
        if _is_assigned(part, flag)
    ]
    return bool(raised) and all(
        any(
            is_kept(analysis, reference, around, site, loop)
            for reference in missing(around.test, Branch.BODY)
        )
        for _, around in raised
    )


def _singles_out(test: ast.expr, taken: Branch, loop: Frame) -> bool:
    """Whether a condition holds in one iteration only: it compares the loop's counter for
    equality.
    """
    held = taken is Branch.BODY
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == held:
        return any(_singles_out(value, taken, loop) for value in test.values)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    if not isinstance(test.ops[0], ast.Eq if held else ast.NotEq):
        return False
    counter = _counter(loop)
    sides = [getattr(side, "id", None) for side in (test.left, test.comparators[0])]
    return counter is not None and sides.count(counter) == 1


def _counter(loop: Frame) -> str | None:
    """The name that counts the iterations of `for i in range(…)` or `for i, x in enumerate(…)`."""
    if not isinstance(loop.node, (ast.For, ast.AsyncFor)):
        return None
    target, iterable = loop.node.target, loop.node.iter
    called = getattr(iterable.func, "id", None) if isinstance(iterable, ast.Call) else None
    if called == "enumerate":
        target = tree.first_of(target)
    elif called not in ("range", "trange", "xrange"):
        return None
    return target.id if isinstance(target, ast.Name) else None


def comes_after_return(analysis: Analysis, site: CallSite) -> bool:
    """Whether the function returns early where what the call makes is there already."""
    node = site.scope.node
    if isinstance(node, (ast.Module, ast.ClassDef, ast.Lambda)):
        return False
    for statement in node.body:
        if statement.end_lineno is None or statement.end_lineno >= site.node.lineno:
            break
        if not isinstance(statement, ast.If) or not isinstance(statement.body[-1], ast.Return):
            continue
        for reference in missing(statement.test, Branch.ELSE):
            if is_kept(analysis, reference, node, site, None):
                return True
    return False


def missing(test: ast.expr, taken: Branch) -> Iterator[ast.expr]:
    """The references that are not set yet where a test sends the program down a branch."""
    held = taken is Branch.BODY
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from missing(test.operand, Branch.ELSE if held else Branch.BODY)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == held:
        for value in test.values:
            yield from missing(value, taken)
    elif isinstance(test, ast.BoolOp):
        # Who asks for it anew does so on purpose: `if self.step is None or force`.
        others = [value for value in test.values if not _asks_anew(value)]
        if len(others) == 1:
            yield from missing(others[0], taken)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        if (type(test.ops[0]), taken) in _NOT_YET:
            yield from _compared(test)
    elif isinstance(test, ast.Call):
        if not held and isinstance(test.func, ast.Name) and test.func.id == "hasattr":
            attribute = test.args[1] if len(test.args) == 2 else None
            if isinstance(attribute, ast.Constant) and isinstance(attribute.value, str):
                yield ast.Attribute(test.args[0], attribute.value, ast.Load())
    elif not held and isinstance(test, (ast.Name, ast.Attribute)):
        yield test


def _asks_anew(test: ast.expr) -> bool:
    """Whether a condition is, by its name, whether to make again what there is already."""
    asked = test.operand if isinstance(test, ast.UnaryOp) else test
    return isinstance(asked, ast.Name) and asked.id.startswith(_ANEW)


_NOT_YET = frozenset(
    [(operator, Branch.BODY) for operator in (ast.Is, ast.Eq, ast.NotIn)]
    + [(operator, Branch.ELSE) for operator in (ast.IsNot, ast.NotEq, ast.In, ast.Gt)]
)


def _compared(test: ast.Compare) -> Iterator[ast.expr]:
    right = test.comparators[0]
    if isinstance(test.ops[0], (ast.In, ast.NotIn)):
        owner = _named_by(right)
        if owner is None:
            yield ast.Subscript(right, test.left, ast.Load())
        elif isinstance(test.left, ast.Constant) and isinstance(test.left.value, str):
            yield ast.Attribute(owner, test.left.value, ast.Load())
    elif isinstance(right, ast.Constant) and right.value in (None, 0, 1, True, False):
        # What is not made yet is None; a counter or a flag passes a value once.
        yield test.left


def _named_by(names: ast.expr) -> ast.expr | None:
    """The object whose attributes' names these are: `dir(self)`, `vars(self)`, `self.__dict__`."""
    if isinstance(names, ast.Attribute):
        return names.value if names.attr == "__dict__" else None
    if isinstance(names, ast.Call) and isinstance(names.func, ast.Name) and len(names.args) == 1:
        return names.args[0] if names.func.id in ("dir", "vars") else None
    return None


def is_kept(
    analysis: Analysis, reference: ast.expr, body: ast.AST, site: CallSite, loop: Frame | None
) -> bool:
    """Whether `body` sets the reference, and what it sets outlives the iteration or call."""
    if isinstance(reference, ast.Call):
        # `get_default_session() is None`: what is made then becomes the default.
        return has(callgraph.fact_of_call(analysis, reference, site.scope), Trait.READS_STATE)
    if isinstance(reference, ast.Subscript):
        return _is_stored(body, reference.value)
    if isinstance(reference, ast.Name):
        scope = site.scope
        is_local = reference.id in scope.bound and reference.id not in scope.outer_names
        if is_local and scope.kind is ScopeKind.FUNCTION and loop is None:
            return False
        return _is_assigned(body, reference) or _counts(reference.id, site)
    if isinstance(reference, ast.Attribute):
        if _is_assigned(body, reference):
            return True
        return any(
            reference.attr in attributes.set_by(analysis, target.function)
            for other in site.scope.calls
            if _stands_within(other.node, body)
            for target in callgraph.targets(analysis, other)
        )
    return False


def _stands_within(node: ast.AST, body: ast.AST) -> bool:
    first, last = getattr(body, "lineno", 0), getattr(body, "end_lineno", 0) or 0
    return first <= getattr(node, "lineno", 0) <= last


def _is_assigned(body: ast.AST, reference: ast.expr) -> bool:
    wanted = ast.unparse(reference)
    return any(
        isinstance(part, (ast.Name, ast.Attribute))
        and isinstance(part.ctx, ast.Store)
        and ast.unparse(part) == wanted
        for part in tree.walk(body)
    )


def _is_stored(body: ast.AST, container: ast.expr) -> bool:
    """Whether something is put into the container."""
    wanted = ast.unparse(container)
    for part in tree.walk(body):
        held: ast.expr | None = None
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
            held = part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            held = part.func.value if part.func.attr in members.CONTAINER_ADDITIONS else None
        if held is not None and ast.unparse(held) == wanted:
            return True
    return False


def _counts(name: str, site: CallSite) -> bool:
    """Whether the name is bound by a loop around the call, as turns are counted."""
    for frame in site.frames:
        if isinstance(frame.node, (ast.For, ast.AsyncFor)):
            # One of several things that each iteration is given is no number of the iteration.
            if name in (getattr(frame.node.target, "id", None), _counter(frame)):
                return True
        elif isinstance(frame.node, ast.While) and any(
            isinstance(part, ast.AugAssign) and getattr(part.target, "id", None) == name
            for part in tree.walk(frame.node)
        ):
            return True
    return False
