"""Statements and calls that write to items of an array: at which indices, and what."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction
from deepperf.semantics.loops.induction import Turning
from deepperf.semantics.loops.statements import Standing
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays

METHODS = members.INDEXED_UPDATES | members.VARIABLE_ASSIGNMENTS
"""Methods that set, or change, the items that `a.at[i]` or `v[i]` stands for."""
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitOr, ast.BitAnd)


class Setting(enum.Enum):
    """What an iteration does to its place."""

    ENCODES = "encodes"  # makes an array that differs from zero at one index
    MARKS = "marks"  # sets a constant
    MASKS = "masks"  # sets a constant from, or up to, a place of the iteration's own in a row
    SETS = "sets"  # sets a value of the iteration's own
    ADDS = "adds"  # adds to what is there, or combines it otherwise


class Write(Struct, frozen=True, eq=False):
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
                yield _item(node, target, node.value, _setting_by(node.value), standing)
        if len(node.targets) == 1 and isinstance(node.value, ast.Call):
            yield from _call(analysis, node.value, node.targets[0], scope, standing)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        is_plain = isinstance(node.op, _OPERATORS)
        value = node.value if is_plain else None
        yield _item(node, node.target, value, Setting.ADDS, standing)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from _call(analysis, node.value, None, scope, standing)


def _setting_by(value: ast.expr) -> Setting:
    """Whether a value marks a place, as constants do, or is the iteration's own."""
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
        indices = [*tree.indices_of(item), *indices]
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
        yield from _method_of_item(analysis, call, function.value, target, scope, standing)
    else:
        yield from _scatter(analysis, call, target, scope, standing)


def _method_of_item(
    analysis: Analysis,
    call: ast.Call,
    place: ast.Subscript,
    target: ast.expr | None,
    scope: Scope,
    standing: Standing,
) -> Iterator[Write]:
    name = last_name(call.func) or ""
    if name not in METHODS or not call.args:
        return
    base = tree.container_of(place)
    write = _item(call, place, call.args[0], _method_setting(call), standing)
    if isinstance(base, ast.Attribute) and base.attr == "at" and target is not None:
        if induction.same(base.value, target):
            yield replace(write, container=base.value, framework="jax", copies=True)
    elif (
        name in members.VARIABLE_ASSIGNMENTS
        and target is None
        and arrays.framework_of(analysis, base, scope) == "tensorflow"
    ):
        yield replace(write, container=base, framework="tensorflow")


def _scatter(
    analysis: Analysis,
    call: ast.Call,
    target: ast.expr | None,
    scope: Scope,
    standing: Standing,
) -> Iterator[Write]:
    scattering = analysis.project.trigger_names(frozenset((Trait.SCATTERS,)))
    if not analysis.module_of(scope).is_one_of(last_name(call.func), scattering):
        return
    fact = callgraph.fact_of_call(analysis, call, scope)
    operands = tree.arguments(call)
    if not has(fact, Trait.SCATTERS):
        return
    if induction.is_method(analysis, call, scope):
        assert isinstance(call.func, ast.Attribute)
        operands.insert(0, call.func.value)
    if len(operands) < 3:
        return
    container, indices, *updates = operands
    copies = Trait.WRITES_STATE not in fact.traits
    if copies and (target is None or not induction.same(container, target)):
        return
    value: ast.expr | None = ast.Tuple(updates, ast.Load())
    if is_batch(analysis, indices, induction.turning(scope, standing.loops)):
        value = None
    setting = setting_of(fact)
    yield Write(call, container, (indices,), value, None, setting, standing, fact.framework, copies)


def setting_of(fact: Fact) -> Setting:
    """What an operation that scatters does to the places that it is given."""
    return Setting.ADDS if Trait.ACCUMULATES in fact.traits else Setting.SETS


def is_batch(analysis: Analysis, indices: ast.expr, turns: Turning) -> bool:
    """Whether the indices of one call may be many: no display of a single one leads there."""
    for _ in range(4):
        if isinstance(indices, ast.Name):
            inner = induction.inner_definitions(analysis, indices, turns)
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
        first = tree.first_of(indices.slice)
        return not (isinstance(first, ast.Slice) and induction.is_of_one(first))
    return not isinstance(indices, (ast.List, ast.Tuple)) or len(indices.elts) != 1


def _method_setting(call: ast.Call) -> Setting:
    return _setting_by(call.args[0]) if last_name(call.func) in ("set", "assign") else Setting.ADDS
