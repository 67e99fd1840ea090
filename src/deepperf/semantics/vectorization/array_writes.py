"""Statements and calls that write to items of an array: at which indices, and what."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import turning
from deepperf.semantics.loops.statements import Standing
from deepperf.semantics.loops.turning import Turning
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays, values

METHODS = frozenset(("set", "add", "multiply", "min", "max", "assign", "assign_add"))
"""Methods that set, or change, the items that `a.at[i]` or `v[i]` stands for."""
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitOr, ast.BitAnd)


class Setting(enum.Enum):
    """What a turn does to its place."""

    ENCODES = "encodes"  # makes an array that differs from zero at one index
    MARKS = "marks"  # sets a constant
    SETS = "sets"  # sets a value of the turn's own
    ADDS = "adds"  # adds to what is there, or combines it otherwise


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A write to items of `container`: at `indices`, of `value`."""

    node: ast.AST
    container: ast.expr
    indices: tuple[ast.expr, ...]
    value: ast.expr | None
    place: ast.Subscript | None
    setting: Setting
    standing: Standing
    framework: str
    copies: bool


def writes(analysis: Analysis, standing: Standing) -> Iterator[Write]:
    """What a statement of a loop writes to items."""
    node = standing.node
    scope = standing.loops[0].scope
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                yield _item(node, target, node.value, _kind(node.value), standing)
        if len(node.targets) == 1 and isinstance(node.value, ast.Call):
            yield from _call(analysis, node.value, node.targets[0], scope, standing)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        is_plain = isinstance(node.op, _OPERATORS)
        value = node.value if is_plain else None
        yield _item(node, node.target, value, Setting.ADDS, standing)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from _call(analysis, node.value, None, scope, standing)


def _kind(value: ast.expr) -> Setting:
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    return Setting.MARKS if isinstance(value, ast.Constant) else Setting.SETS


def _item(
    node: ast.AST,
    place: ast.Subscript,
    value: ast.expr | None,
    setting: Setting,
    standing: Standing,
) -> Write:
    indices: list[ast.expr] = []
    item: ast.expr = place
    while isinstance(item, ast.Subscript):
        here = item.slice.elts if isinstance(item.slice, ast.Tuple) else [item.slice]
        indices = [*here, *indices]
        item = item.value
    return Write(node, item, tuple(indices), value, place, setting, standing, "", copies=False)


def _call(
    analysis: Analysis,
    call: ast.Call,
    target: ast.expr | None,
    scope: Scope,
    standing: Standing,
) -> Iterator[Write]:
    """Writes by calls: `a.at[i].set(v)`, `v[i].assign(x)`, `scatter(a, indices, updates)`."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Subscript):
        place = function.value
        base = tree.container_of(place)
        if function.attr not in METHODS or not call.args:
            return
        if isinstance(base, ast.Attribute) and base.attr == "at" and target is not None:
            write = _item(call, place, call.args[0], _method_kind(call), standing)
            if turning.same(base.value, target):
                yield _replaced(write, base.value, "jax")
        elif (
            function.attr.startswith("assign")
            and target is None
            and arrays.framework_of(analysis, base, scope) == "tensorflow"
        ):
            write = _item(call, place, call.args[0], _method_kind(call), standing)
            yield _replaced(write, base, "tensorflow")
        return
    if last_name(function) not in analysis.project.trigger_names(frozenset((Trait.SCATTERS,))):
        return
    scattering = analysis.project.trigger_names(frozenset((Trait.SCATTERS,)))
    if last_name(function) not in scattering:
        renamed = analysis.module_of(scope).scopes.renamed
        if not any(new == last_name(function) and old in scattering for new, old in renamed):
            return
    fact = callgraph.fact_of(analysis, values.evaluate(analysis, function, scope))
    if fact is None or Trait.SCATTERS not in fact.traits:
        return
    operands = tree.arguments(call)
    copies = Trait.WRITES_STATE not in fact.traits
    if turning.is_method(analysis, call, scope):
        assert isinstance(function, ast.Attribute)
        container, given = function.value, operands
    elif operands:
        container, given = operands[0], operands[1:]
    else:
        return
    if copies and (target is None or not turning.same(container, target)):
        return
    adds = any(word in fact.name for word in ("add", "sub", "min", "max", "mul", "div"))
    setting = Setting.ADDS if adds else Setting.SETS
    value = ast.Tuple(given[1:], ast.Load()) if len(given) > 1 else None
    if given and value is not None:
        if is_batch(analysis, given[0], turning.turning(scope, standing.loops)):
            value = None
        yield Write(
            call, container, (given[0],), value, None, setting, standing, fact.framework, copies
        )


def is_batch(analysis: Analysis, indices: ast.expr, turns: Turning) -> bool:
    """Whether the indices of one call may be many: no display of a single one leads there."""
    for _ in range(4):
        if isinstance(indices, ast.Name):
            inner = turning.inner_definitions(analysis, indices, turns)
            if len(inner) != 1 or inner[0].binding is not Binding.ASSIGNED:
                return True
            indices = inner[0].value or indices
        elif isinstance(indices, ast.Call) and indices.args:
            if last_name(indices.func) in ("expand_dims", "reshape", "unsqueeze"):
                return False
            indices = indices.args[0]
        else:
            break
    if isinstance(indices, ast.Subscript):
        first = (indices.slice.elts if isinstance(indices.slice, ast.Tuple) else [indices.slice])[0]
        return not (isinstance(first, ast.Slice) and turning.is_of_one(first))
    return not isinstance(indices, (ast.List, ast.Tuple)) or len(indices.elts) != 1


def _method_kind(call: ast.Call) -> Setting:
    name = last_name(call.func)
    return _kind(call.args[0]) if name in ("set", "assign") else Setting.ADDS


def _replaced(write: Write, container: ast.expr, framework: str) -> Write:
    return Write(
        write.node,
        container,
        write.indices,
        write.value,
        write.place,
        write.setting,
        write.standing,
        framework,
        copies=framework == "jax",
    )
