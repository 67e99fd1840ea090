"""A long list is searched from its beginning again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, own_share_of, told_at
from deepperf.dynamic.program.text import Function, tree_of
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.signals.array_loop import NUMBERS

NAME = "list-search"
RULES: tuple[str, ...] = ()
SYMPTOMS = ("slow-execution", "increasing-time")
SEARCHES = ("index", "count", "remove")


def watch(_tape: Tape) -> None:
    """Nothing: the lists that a function knows are looked at anyway."""


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lists whose search takes a part of the time, at the line at which most of that is spent:
    where two stand one after the other, what the first takes may be charged to the second."""
    for seen in trace.observations:
        long = seen.detail.get("long", {}) if seen.kind == NUMBERS else {}
        lines: dict[str, dict[int, float]] = {}
        for search in _searches(seen, long):
            shares = lines.setdefault(search.name, {})
            share = own_share_of(trace, seen.file, search.line)
            if search.following and search.following not in shares:
                share += _python_share_of(trace, seen.file, search.following)
            shares[search.line] = max(share, shares.get(search.line, 0.0))
        for name, shares in lines.items():
            share = sum(shares.values())
            if share >= FLOOR:
                yield told_at(
                    Place(seen.file, max(shares, key=shares.__getitem__), seen.function),
                    signal=NAME,
                    cause="missed-efficient-api",
                    message=f"the list `{name}` is searched from its beginning each time",
                    evidence=f"it has {long[name]:,} elements; {share:.0%} of the time is spent "
                    "in the lines that search it",
                    remedy="make a `set` of it once for `in`, or a `dict` from each element to its "
                    "position for `.index`",
                    share=share,
                )


def _python_share_of(trace: Trace, file: str, line: int) -> float:
    """The share of the run in which a line ran by itself."""
    looks = sum(one.python for one in trace.samples if (one.file, one.line) == (file, line))
    return looks / trace.sampled if trace.sampled else 0.0


class _Search(NamedTuple):
    """A line that searches a list of this name, and the line to which what that takes may be
    charged, if it is another: Python looks for the time between two calls."""

    line: int
    name: str
    following: int = 0


def _searches(seen: Observation, long: Mapping[str, int]) -> Iterator[_Search]:
    """The lines of the function that was looked at which search one of these lists."""
    tree = tree_of(seen.file) if long else None
    for scope in ast.walk(tree) if tree is not None else ():
        if _is_it(scope, seen):
            nodes = list(_own_nodes(scope))
            following = {
                part: node.body[0].lineno
                for node in nodes
                if isinstance(node, ast.If) and not _goes_through(node.body[0])
                for part in ast.walk(node.test)
            }
            for node in nodes:
                for one in _searched(node):
                    if ast.unparse(one) in long:
                        yield _Search(one.lineno, ast.unparse(one), following.get(node, 0))


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, or in a module but not in its functions."""
    waiting = [scope]
    while waiting:
        node = waiting.pop()
        yield node
        inner = ast.iter_child_nodes(node)
        is_module = isinstance(scope, ast.Module)
        waiting += [one for one in inner if not (is_module and isinstance(one, Function))]


def _goes_through(statement: ast.stmt) -> bool:
    """Whether a statement repeats something itself, so that what it takes may well be its own."""
    return hasattr(statement, "body") or any(
        isinstance(part, ast.comprehension) for part in ast.walk(statement)
    )


def _is_it(scope: ast.AST, seen: Observation) -> bool:
    if isinstance(scope, Function):
        return seen.line in (scope.lineno, *_decorated(scope))
    return isinstance(scope, ast.Module) and seen.function == "<module>"


def _decorated(function: Function) -> Iterator[int]:
    for one in function.decorator_list:
        yield one.lineno


def _searched(node: ast.AST) -> Iterator[ast.expr]:
    """What an expression goes through from its beginning, if it is a list."""
    if isinstance(node, ast.Compare):
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, (ast.In, ast.NotIn)):
                yield right
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from (node.func.value for name in SEARCHES if node.func.attr == name)
