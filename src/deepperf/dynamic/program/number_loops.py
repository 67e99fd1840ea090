"""Loops and comprehensions of a file's text that compute Python's numbers, each turn for itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deepperf.dynamic.program.element_loops import LEAVES, carries
from deepperf.dynamic.program.text import Function, tree_of

HOMES = ("math", "random")
"""Modules whose functions take and give numbers, and that NumPy has arrays for."""
BUILTINS = ("float", "int", "abs", "min", "max", "round", "bool", "range", "len", "pow", "zip")
KEEPS = "append"
COMPUTES = (ast.Sub, ast.Mult, ast.Div, ast.Pow)
"""Operators that say that numbers are computed: texts and lists are added, too."""
COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp)
LOOPS = (ast.For, ast.AsyncFor, ast.While, *COMPREHENSIONS, ast.DictComp)
ENDS = (*LEAVES, ast.Continue, ast.Raise, ast.Assert, ast.Subscript, ast.Starred, ast.Lambda)
"""What makes a turn more than a computation with numbers that have names."""


@dataclass(frozen=True, slots=True)
class NumberLoop:
    """The lines of a loop, and how many turns it takes."""

    first: int
    last: int
    turns: int


def number_loops(
    file: str, function: str, numbers: Mapping[str, int], counts: Mapping[str, int]
) -> Iterator[NumberLoop]:
    """The loops of a function of which each turn only computes with numbers.

    `numbers` are those of its names that are integers, with their values, or floats; `counts` those
    that are lists of numbers, with their lengths. Loops that use other names are left out.
    """
    tree = tree_of(file)
    for scope in () if tree is None else ast.walk(tree):
        if isinstance(scope, Function) and scope.name == function:
            for node in ast.walk(scope):
                found = _loop(node, numbers, counts)
                if found is not None:
                    yield found


def _loop(
    node: ast.AST, numbers: Mapping[str, int], counts: Mapping[str, int]
) -> NumberLoop | None:
    if isinstance(node, ast.For):
        body: list[ast.AST] = [*node.body]
        if node.orelse or not _turns_are_alone(node):
            return None
        over, target = node.iter, node.target
    elif isinstance(node, COMPREHENSIONS) and len(node.generators) == 1:
        part = node.generators[0]
        body, over, target = [node.elt, *part.ifs], part.iter, part.target
    else:
        return None
    inner = [one for step in body for one in ast.walk(step)]
    if any(isinstance(one, (*LOOPS, *ENDS)) for one in inner) or not any(map(_computes, inner)):
        return None
    known = {*numbers, *counts, *_stored(target), *_stored(*body)}
    if not all(_is_known(one) for one in inner if isinstance(one, ast.Call)):
        return None
    if not _read(*body) <= known or any(_is_text(one) for one in inner):
        return None
    return NumberLoop(node.lineno, node.end_lineno or node.lineno, _turns(over, numbers, counts))


def _turns_are_alone(loop: ast.For) -> bool:
    """Whether no turn needs what another made, but for sums that nothing else reads."""
    sums = {
        step.target.id
        for step in ast.walk(loop)
        if isinstance(step, ast.AugAssign)
        and isinstance(step.op, ast.Add)
        and isinstance(step.target, ast.Name)
    }
    read = {
        one.id
        for one in ast.walk(loop)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    }
    set_too = {
        one.id
        for step in ast.walk(loop)
        if isinstance(step, ast.Assign)
        for target in step.targets
        for one in ast.walk(target)
        if isinstance(one, ast.Name)
    }
    return not carries(loop, sums - read - set_too)


def _computes(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, COMPUTES)
    return isinstance(node, ast.Call) and _home(node.func) in HOMES


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )


def _is_known(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in BUILTINS
    is_kept = isinstance(function, ast.Attribute) and function.attr == KEEPS
    return is_kept or _home(function) in HOMES


def _home(function: ast.expr) -> str:
    is_of = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
    return function.value.id if is_of else ""  # type: ignore[attr-defined]


def _stored(*nodes: ast.AST) -> set[str]:
    return {
        one.id
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }


def _read(*nodes: ast.AST) -> set[str]:
    """Names, and attributes of them with dots, that are worked with; not what is called."""
    called = {id(one.func) for node in nodes for one in ast.walk(node) if isinstance(one, ast.Call)}
    found: set[str] = set()
    waiting: list[ast.AST] = [*nodes]
    while waiting:
        node = waiting.pop()
        if id(node) in called:
            continue
        if isinstance(node, ast.Attribute):
            # `math.pi` is a number that is always there.
            found |= set() if _home(node) in HOMES else {ast.unparse(node)}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        else:
            waiting += ast.iter_child_nodes(node)
    return found


def _turns(over: ast.expr, numbers: Mapping[str, int], counts: Mapping[str, int]) -> int:
    """How many turns there are; 0 where that is not known."""
    if isinstance(over, ast.Constant):
        return over.value if isinstance(over.value, int) else 0
    if isinstance(over, (ast.Name, ast.Attribute)):
        return counts.get(ast.unparse(over), 0)
    if not isinstance(over, ast.Call) or not isinstance(over.func, ast.Name) or not over.args:
        return 0
    if over.func.id == "range":
        end = over.args[min(1, len(over.args) - 1)]
        is_name = isinstance(end, (ast.Name, ast.Attribute))
        return numbers.get(ast.unparse(end), 0) if is_name else _turns(end, numbers, counts)
    if over.func.id in ("len", "enumerate", "zip", "reversed"):
        return _turns(over.args[0], numbers, counts)
    return 0
