"""Which parts of a table or an array are used, told from the text after the line that reads it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from deepperf.dynamic.program.loops import loops_at
from deepperf.dynamic.program.text import function_around, simple_statements, spans, tree_of


class Parts(NamedTuple):
    """What is asked of a value: columns by their names, or so many rows each time; nothing else."""

    columns: tuple[str, ...]
    rows: int


def parts_used(file: str, line: int) -> Parts | None:
    """The parts of what the statement at a line reads that its function uses; None where it may use
    all of it, or where that cannot be told."""
    tree = tree_of(file)
    found = [] if tree is None else [one for one in simple_statements(tree) if spans(one, line)]
    statement = max(found, key=lambda one: one.lineno, default=None)
    if tree is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    value, target = statement.value, statement.targets[0]
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Call):
        return _parts_of([value])
    if not isinstance(value, ast.Call) or not isinstance(target, ast.Name):
        return None
    uses = _uses(function_around(tree, line), target)
    if not uses:
        return None
    parts = _parts_of(uses)
    # Rows that a loop asks for one after the other may be all of them.
    around = loops_at(file, line)
    is_within = all(loops_at(file, one.lineno) == around for one in uses)
    return parts if parts is not None and (parts.columns or is_within) else None


def _uses(scope: ast.AST, target: ast.Name) -> list[ast.Subscript]:
    """Where a function takes parts of what a name stands for; nothing where it does more with it,
    or where the name stands for something else as well."""
    taken: dict[int, ast.Subscript] = {}
    left_out: set[int] = set()
    names: list[ast.Name] = []
    for node in ast.walk(scope):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            taken[id(node.value)] = node
        elif isinstance(node, ast.Call) and _is_length(node):
            left_out |= {id(one) for one in node.args}
        elif isinstance(node, ast.Name) and node.id == target.id and node is not target:
            names.append(node)
        elif isinstance(node, (ast.Global, ast.Nonlocal)) and target.id in node.names:
            return []
    used = [one for one in names if id(one) not in left_out]
    return [taken[id(one)] for one in used] if all(id(one) in taken for one in used) else []


def _is_length(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "len"


def _parts_of(uses: list[ast.Subscript]) -> Parts | None:
    """Columns, or rows, of all uses; None where one takes something else."""
    columns: dict[str, None] = {}
    rows = 0
    for use in uses:
        names = [*_names_in(use.slice)]
        count = 0 if names else _rows_in(use.slice)
        if not names and not count:
            return None
        columns.update(dict.fromkeys(names))
        rows += count
    return None if columns and rows else Parts(tuple(columns), rows)


def _names_in(part: ast.expr) -> Iterator[str]:
    constants = part.elts if isinstance(part, ast.List) else [part]
    values = [one.value for one in constants if isinstance(one, ast.Constant)]
    if len(values) == len(constants):
        yield from (value for value in values if isinstance(value, str))


def _rows_in(part: ast.expr) -> int:
    """How many rows an index takes, 0 where that is not known: a name may hold a list of them."""
    first = part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part
    if isinstance(first, ast.Constant):
        return int(type(first.value) is int)
    if not isinstance(first, ast.Slice) or first.step is not None:
        return 0
    bounds = [first.lower or ast.Constant(0), first.upper]
    values = [one.value for one in bounds if isinstance(one, ast.Constant)]
    if len(values) < 2 or not all(type(one) is int for one in values):
        return 0
    begin, end = (int(str(one)) for one in values)
    return end - begin if 0 <= begin < end else 0
