"""A long list is searched from its beginning again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, own_share_of, told_at
from deepperf.dynamic.program.text import tree_of
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
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
        lines: dict[str, set[int]] = {}
        for line, name in _searches(seen.file, seen.line, long):
            lines.setdefault(name, set()).add(line)
        for name, found in lines.items():
            shares = {line: own_share_of(trace, seen.file, line) for line in sorted(found)}
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


def _searches(file: str, first: int, long: Mapping[str, int]) -> Iterator[tuple[int, str]]:
    """The lines of the function that begins at a line which search one of these lists."""
    tree = tree_of(file) if long else None
    for function in ast.walk(tree) if tree is not None else ():
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if first in (function.lineno, *_decorated(function)):
            for node in ast.walk(function):
                for one in _searched(node):
                    if ast.unparse(one) in long:
                        yield one.lineno, ast.unparse(one)


def _decorated(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[int]:
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
