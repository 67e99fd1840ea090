"""Which parts of a sample a line uses, and which lines make the others; asked after the run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from deepperf.dynamic.program.text import function_around, simple_statements, spans, tree_of

Made = ast.Assign | ast.AugAssign | ast.AnnAssign


def parts_taken(file: str, line: int) -> frozenset[int] | None:
    """The places, in the tuple that a sample is, of the parts that the statement at a line uses:
    `for _, label in samples` and `samples[i][1]` use the second. None where it may use all."""
    tree = tree_of(file)
    if tree is None:
        return None
    scope = function_around(tree, line)
    found = [*_unpacked(scope, line), *_picked(scope, line)]
    return found[0] if len(found) == 1 else None


def lines_for_others(file: str, line: int, parts: frozenset[int]) -> frozenset[int]:
    """The lines of the function around a line that make only what is in none of these parts of the
    tuple that it returns."""
    tree = tree_of(file)
    function = None if tree is None else function_around(tree, line)
    if not isinstance(function, ast.FunctionDef):
        return frozenset()
    needed: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Return):
            told = node.value
            if not isinstance(told, ast.Tuple) or len(told.elts) <= max(parts):
                return frozenset()
            needed |= {name for part in parts for name in _names(told.elts[part])}
        elif isinstance(node, (ast.If, ast.While)):
            needed |= {*_names(node.test)}
    made = [one for one in simple_statements(function) if isinstance(one, Made)]
    while True:
        more = {name for one in made if needed & {*_set_by(one)} for name in _names(one)}
        if more <= needed:
            break
        needed |= more
    return frozenset(
        number
        for one in made
        if all(isinstance(target, ast.Name) for target in _targets(one))
        and not needed & {*_set_by(one)}
        for number in range(one.lineno, (one.end_lineno or one.lineno) + 1)
    )


def _targets(made: Made) -> Sequence[ast.expr]:
    targets = made.targets if isinstance(made, ast.Assign) else [made.target]
    return [part for one in targets for part in getattr(one, "elts", [one])]


def _set_by(made: Made) -> Iterator[str]:
    """The names that a statement sets, or changes something of."""
    for target in _targets(made):
        yield from _names(target)


def _names(node: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(node) if isinstance(one, ast.Name))


def _unpacked(scope: ast.AST, line: int) -> Iterator[frozenset[int]]:
    """What is used of the names that a loop or an assignment at a line unpacks samples to."""
    for node in ast.walk(scope):
        if getattr(node, "lineno", 0) != line:
            continue
        if isinstance(node, (ast.For, ast.AsyncFor)):
            yield from _used(scope, _of_samples(node.target, node.iter))
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            for one in node.generators:
                yield from _used(node, _of_samples(one.target, one.iter))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            yield from _used(scope, node.targets[0])


def _of_samples(target: ast.expr, given: ast.expr) -> ast.expr:
    """What takes the samples, where they are numbered as well."""
    is_numbered = isinstance(given, ast.Call) and getattr(given.func, "id", "") == "enumerate"
    parts = getattr(target, "elts", [])
    return parts[1] if is_numbered and len(parts) == 2 else target


def _used(scope: ast.AST, target: ast.expr) -> Iterator[frozenset[int]]:
    if not isinstance(target, (ast.Tuple, ast.List)):
        return
    read = _read_in(scope)
    parts = target.elts
    taken = {n for n, one in enumerate(parts) if not isinstance(one, ast.Name) or one.id in read}
    if taken and len(taken) < len(parts):
        yield frozenset(taken)


def _read_in(scope: ast.AST) -> set[str]:
    """The names of a scope that are read in it, also by functions within it, which have names of
    their own."""
    read: set[str] = set()
    waiting = [*ast.iter_child_nodes(scope)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            own = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
            own |= {
                one.id
                for one in ast.walk(node)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            }
            read |= _read_in(node) - own
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.add(node.id)
        waiting += ast.iter_child_nodes(node)
    return read


def _picked(scope: ast.AST, line: int) -> Iterator[frozenset[int]]:
    """What is picked of samples that are asked for by their number."""
    asked: dict[str, list[ast.Subscript]] = {}
    taken: dict[int, int] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Subscript) and spans(node, line):
            asked.setdefault(ast.dump(node.value), []).append(node)
            if isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
                taken[id(node.value)] = node.slice.value
    for same in asked.values():
        if all(taken.get(id(one), -1) >= 0 for one in same):
            yield frozenset(taken[id(one)] for one in same)
