"""Loops of a file's text that go through arrays element by element, each turn for itself."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from deepperf.dynamic.program.text import tree_of
from deepperf.semantics.names.scopes import last_name

KNOWN_HOMES = ("np", "numpy", "math", "tf", "torch", "jnp")
"""How modules are called whose functions take arrays as well as numbers."""
KNOWN_BUILTINS = ("float", "int", "abs", "min", "max", "round", "bool", "range", "len", "pow")
KEEPS = ("append",)
"""What a list is told in a turn."""
FEW = 4
"""Elements up to which what is taken at once is one element of several numbers, such as a pixel's
colors."""
DEEPEST = 2
"""Functions of the file that are followed from a loop, one within the other."""
LEAVES = (ast.Break, ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Try, ast.While, ast.With)
"""What makes a turn depend on others, or do more than compute."""
EFFECTS = (*(one for one in LEAVES if one is not ast.Return), ast.Global, ast.Nonlocal, ast.Raise)
"""What makes a function do more than compute a value of its arguments."""


@dataclass(frozen=True, slots=True)
class ElementLoop:
    """The lines of a loop, the arrays it goes through, and whether it chooses between formulas."""

    first: int
    last: int
    arrays: tuple[str, ...]
    chooses: bool


def element_loops(
    file: str, function: str, shapes: Mapping[str, Sequence[int]]
) -> Iterator[ElementLoop]:
    """The loops of a function whose turns each compute from single elements of arrays alone.

    `shapes` has the arrays among the function's local names, with their shapes.
    """
    tree = tree_of(file)
    if tree is None:
        return
    for scope in ast.walk(tree):
        is_it = isinstance(scope, ast.FunctionDef) and scope.name == function
        if is_it or (isinstance(scope, ast.Module) and function == "<module>"):
            for node in ast.walk(scope):
                if isinstance(node, ast.For) and not _has_loop(node):
                    arrays = _gone_through(node, shapes)
                    if arrays and _is_independent(node, tree):
                        last = node.end_lineno or node.lineno
                        yield ElementLoop(node.lineno, last, arrays, _chooses(node))


def _has_loop(loop: ast.For) -> bool:
    return any(
        isinstance(node, (ast.For, ast.While)) for step in loop.body for node in ast.walk(step)
    )


def _gone_through(loop: ast.For, shapes: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """The arrays of which a turn takes elements; none where it takes whole rows."""
    counters = _names(loop.target)
    found: dict[str, None] = {}
    over = [node.id for node in ast.walk(loop.iter) if isinstance(node, ast.Name)]
    is_counted = isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) == "range"
    if not is_counted:
        for name in over:
            if name in shapes:
                if len(shapes[name]) != 1:
                    return ()
                found[name] = None
    for node in _body(loop):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if node.value.id not in shapes or not _names(node.slice) & counters:
                continue
            if not _is_element(node.slice, shapes[node.value.id]):
                return ()
            found[node.value.id] = None
    return tuple(found)


def _is_element(index: ast.expr, shape: Sequence[int]) -> bool:
    """Whether an index takes one element of an array, or the few numbers that make one."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if len(parts) > len(shape):
        return False
    whole = [ast.Slice()] * (len(shape) - len(parts))
    taken = 1
    for part, side in zip([*parts, *whole], shape, strict=True):
        if any(isinstance(one, ast.Slice) for one in ast.walk(part)):
            taken *= side
    return taken <= FEW


def _is_independent(loop: ast.For, tree: ast.Module) -> bool:
    """Whether no turn needs what another made, and each only computes."""
    if loop.orelse or any(isinstance(node, LEAVES) for node in _body(loop)):
        return False
    calls = (node for node in _body(loop) if isinstance(node, ast.Call))
    if not all(_is_known(node) or _only_computes(node, tree, DEEPEST) for node in calls):
        return False
    written = {
        node.value.id: ast.dump(node.slice)
        for node in _body(loop)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
    }
    for node in _body(loop):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            place = written.get(node.value.id)
            if place is not None and place != ast.dump(node.slice):
                return False
    return not carries(loop)


def carries(loop: ast.For, sums: Collection[str] = ()) -> bool:
    """Whether a name is read in a turn before the turn has set it; but for `sums`."""
    # What goes through something within an expression has names of its own.
    of_expressions = {
        id(node)
        for one in _body(loop)
        if isinstance(one, ast.comprehension)
        for node in ast.walk(one.target)
    }
    set_in_it = {
        node.id
        for node in _body(loop)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and id(node) not in of_expressions
    }
    known: set[str] = set()
    for step in loop.body:
        read = {
            node.id
            for node in ast.walk(step)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        if isinstance(step, ast.AugAssign) and isinstance(step.target, ast.Name):
            read |= {step.target.id}.difference(sums)
        if read & (set_in_it - known - _set_first(step)):
            return True
        known |= set_in_it & {
            node.id
            for node in ast.walk(step)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
    return False


def _set_first(step: ast.stmt) -> set[str]:
    """Names that a branch of a step sets before it reads them."""
    if not isinstance(step, ast.If):
        return set()
    found: set[str] = set()
    for branch in (step.body, step.orelse):
        before: set[str] = set()
        for inner in branch:
            if isinstance(inner, ast.Assign):
                read = _names(inner.value)
                found |= {name for target in inner.targets for name in _names(target)} - read
                before |= read
        found -= before
    return found


def _chooses(loop: ast.For) -> bool:
    return any(isinstance(node, (ast.If, ast.IfExp)) for node in _body(loop))


def _only_computes(call: ast.Call, tree: ast.Module, depth: int) -> bool:
    """Whether it is of a function of the file that computes a value of its arguments, step by step,
    and does nothing else."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    found = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == name]
    if len(found) != 1 or not depth:
        return False
    nodes = list(_body(found[0]))
    if any(isinstance(node, (*EFFECTS, ast.For)) for node in nodes):
        return False
    is_filled = any(
        isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store)
        for node in nodes
    )
    inner = (node for node in nodes if isinstance(node, ast.Call))
    return not is_filled and all(_is_known(n) or _only_computes(n, tree, depth - 1) for n in inner)


def _is_known(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in KNOWN_BUILTINS
    if isinstance(function, ast.Attribute):
        root: ast.expr = function
        while isinstance(root, ast.Attribute):
            root = root.value
        is_home = isinstance(root, ast.Name) and root.id in KNOWN_HOMES
        return (is_home and "random" not in ast.dump(function)) or function.attr in KEEPS
    return False


def _body(loop: ast.For | ast.FunctionDef) -> Iterator[ast.AST]:
    for step in loop.body:
        yield from ast.walk(step)


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
