"""What a dataset is cut from, where that is a table of pandas: its columns hold one thing a row."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from typing import TypeVar

from deepperf.knowledge import members
from deepperf.semantics.calls import callers, callgraph, constants, parts
from deepperf.semantics.calls.parts import Kind, Part, Structure
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import Scope, last_name
from deepperf.semantics.sizes import array_shapes
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Literal

_T = TypeVar("_T")
_COLUMNS = frozenset(("Categorical", "Series", "isna", "isnull", "notna", "notnull", "to_datetime"))
_COLUMNS |= {"to_numeric", "to_timedelta"}
_TABLES = frozenset(("DataFrame", "crosstab", "get_dummies", "melt", "merge", "pivot"))
_TABLES |= {"pivot_table", "read_csv", "read_excel", "read_feather", "read_fwf", "read_json"}
_TABLES |= {"read_orc", "read_parquet", "read_sql", "read_sql_query", "read_sql_table"}
_TABLES |= {"read_stata", "read_table"}
"""Functions of pandas that give a table, whatever they are given."""
_KEEPING = frozenset(("abs", "assign", "astype", "clip", "convert_dtypes", "copy", "drop"))
_KEEPING |= {"drop_duplicates", "dropna", "fillna", "head", "iloc", "interpolate", "loc", "query"}
_KEEPING |= {"rename", "replace", "reset_index", "round", "sample", "set_index", "shift"}
_KEEPING |= {"sort_index", "sort_values", "tail", "transform", "where"}
"""Methods, and attributes, that give a table of a table, and a column of a column."""
_ARRAYS = frozenset(("values", "to_numpy", "array"))
_OF_COLUMNS = frozenset(("codes", "cat", "map", "str", "dt", "isin", "eq", "factorize"))


class Form(enum.Enum):
    """What pandas holds; the number is how many axes a row of it has."""

    COLUMN = 0
    TABLE = 1


def sliced(analysis: Analysis, node: ast.expr, scope: Scope) -> Kind | None:
    """An element of the dataset that is cut from `node` along its first axis."""
    return analysis.remember(("cut from", node), lambda: _sliced(analysis, node, scope), None)


def _sliced(analysis: Analysis, node: ast.expr, scope: Scope) -> Kind | None:
    if isinstance(node, ast.Tuple):
        found = [sliced(analysis, part, scope) for part in node.elts]
        unknown = [Part(f"{id(part)}") for part in node.elts]
        return Structure(None, tuple(a or b for a, b in zip(found, unknown, strict=True)))
    if isinstance(node, (ast.Dict, ast.DictComp)):
        cut = node.values if isinstance(node, ast.Dict) else [node.value]
        found = [sliced(analysis, part, scope) for part in cut]
        only = _one(set(found))
        if isinstance(only, Part) and not only.columns:
            return parts.columns_of(only)
        return _entries(node, found) if isinstance(node, ast.Dict) else None
    if isinstance(node, ast.Call) and (inner := _made_dict(analysis, node, scope)) is not None:
        if form_of(analysis, inner, scope) is Form.TABLE:
            return Part(parts.SCALAR, columns=True)
        return sliced(analysis, inner, scope)
    form = form_of(analysis, node, scope)
    if form is not None:
        return parts.with_axes(Part(parts.SCALAR), form.value)
    if isinstance(node, ast.Name):
        bound = _bound(analysis, node, scope)
        return _one({sliced(analysis, value, other) for value, other in bound})
    return None


def _entries(node: ast.Dict, cut: list[Kind | None]) -> Structure | None:
    """A dict of tensors under names that are written out; others may be put beside them later."""
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    names = [key for key in keys if isinstance(key, str)]
    if not names or len(names) < len(node.keys):
        return None
    others = Part(f"{parts.UNLIKE}{id(node)}", columns=True)
    kinds = [kind or Part(f"{id(part)}") for kind, part in zip(cut, node.values, strict=True)]
    return Structure((parts.OTHERS, *names), (others, *kinds))


def _made_dict(analysis: Analysis, call: ast.Call, scope: Scope) -> ast.expr | None:
    """What is made a dict of columns: `table` in `dict(table)` and `table.to_dict("list")`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to_dict":
        return call.func.value
    held = values.evaluate(analysis, call.func, scope)
    if callgraph.external_names(held) != ("builtins.dict",):
        return None
    return call.args[0] if len(call.args) == 1 and not call.keywords else None


def form_of(analysis: Analysis, node: ast.expr, scope: Scope) -> Form | None:
    """Whether an expression is a table, or one of its columns; None for anything else."""
    return analysis.remember(("table form", node), lambda: _form_of(analysis, node, scope), None)


def _form_of(analysis: Analysis, node: ast.expr, scope: Scope) -> Form | None:
    if isinstance(node, ast.Name):
        bound = _bound(analysis, node, scope)
        return _one({form_of(analysis, value, other) for value, other in bound})
    if isinstance(node, ast.Call):
        return _of_call(analysis, node, scope)
    if isinstance(node, ast.Attribute):
        whole = form_of(analysis, node.value, scope)
        if whole is None or node.attr in _KEEPING or node.attr in _ARRAYS:
            return whole
        if node.attr in members.VIEW_ATTRIBUTES:
            return None
        is_column = whole is Form.TABLE or node.attr in _OF_COLUMNS
        return Form.COLUMN if is_column else None
    if isinstance(node, ast.Subscript):
        whole = form_of(analysis, node.value, scope)
        if whole is Form.TABLE:
            return _picked(analysis, node.slice, scope)
        # `column[:, None]` has an axis more, `column[0]` is an element.
        return None if isinstance(node.slice, (ast.Tuple, ast.Constant)) else whole
    if isinstance(node, ast.Compare):
        return form_of(analysis, node.left, scope)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        return form_of(analysis, node.left, scope) or form_of(analysis, node.right, scope)
    return None


def _one(found: set[_T]) -> _T | None:
    """What is found everywhere."""
    return found.pop() if len(found) == 1 else None


def _of_call(analysis: Analysis, call: ast.Call, scope: Scope) -> Form | None:
    names = callgraph.external_names(values.evaluate(analysis, call.func, scope))
    if names and all(name.startswith("pandas.") for name in names):
        return _one({_given(analysis, name, call, scope) for name in names})
    if isinstance(call.func, ast.Attribute):
        whole = form_of(analysis, call.func.value, scope)
        if whole is Form.TABLE and call.func.attr == "pop":
            return Form.COLUMN
        kept = call.func.attr in _KEEPING or call.func.attr in _ARRAYS
        is_column = whole is Form.COLUMN and call.func.attr in _OF_COLUMNS
        return whole if kept or is_column else None
    forms: set[Form | None] = set()
    for target in callgraph.targets_of(analysis, values.evaluate(analysis, call.func, scope)):
        function = target.function
        analysis.module_of(function)
        forms |= {form_of(analysis, result, function) for result in function.returns}
    return _one(forms)


def _given(analysis: Analysis, name: str, call: ast.Call, scope: Scope) -> Form | None:
    """What a function of pandas gives; what looks at each entry gives the form that it is given."""
    called = name.rpartition(".")[2]
    if called in _TABLES:
        return Form.TABLE
    listed = call.args[0] if call.args else None
    if called == "concat" and isinstance(listed, (ast.List, ast.Tuple)):
        found = _one({form_of(analysis, part, scope) for part in listed.elts})
        return found if found is Form.TABLE else None
    if called not in _COLUMNS:
        return None
    is_table = listed is not None and form_of(analysis, listed, scope) is Form.TABLE
    return Form.TABLE if is_table else Form.COLUMN


def _picked(analysis: Analysis, index: ast.expr, scope: Scope) -> Form | None:
    """What an index picks from a table: a name one column, a list or a condition some."""
    if isinstance(index, (ast.Slice, ast.List, ast.Compare, ast.BinOp, ast.UnaryOp)):
        return Form.TABLE
    if isinstance(index, ast.Constant):
        return Form.COLUMN if isinstance(index.value, str) else None
    held = values.evaluate(analysis, index, scope)
    if held and all(isinstance(term, Literal) and term.kind is str for term in held):
        return Form.COLUMN
    is_list = constants.constant(analysis, index, scope).rank == 1
    return Form.TABLE if is_list else None


def _bound(analysis: Analysis, node: ast.Name, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
    """What a name is assigned, and what calls of the function pass for it."""
    for definition in values.definitions_of(analysis, node, scope):
        value = definition.value
        if definition.binding is Binding.PARAMETER:
            yield from callers.arguments_for(analysis, definition.scope, node.id)
        elif definition.binding is Binding.ASSIGNED and value is not None:
            if not definition.unpacking:
                yield value, definition.scope
            elif isinstance(value, ast.Call) and len(definition.unpacking) == 1:
                yield from _part_of(value, definition.unpacking[0], definition.scope)


def _part_of(call: ast.Call, place: int, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
    """What has the form of one of the parts that a call gives: of rows for training, say."""
    split = place // 2 if array_shapes.splits(call) else 0
    is_split = array_shapes.splits(call) or last_name(call.func) == "split"
    if is_split and split < len(call.args):
        yield call.args[split], scope
