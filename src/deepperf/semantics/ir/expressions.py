"""Expressions as operations: the part of lowering that gives a value."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from deepperf.semantics.ir.table import UNBOUND, Block, Kind

if TYPE_CHECKING:
    from deepperf.semantics.ir.lower import Lowering

_COMPREHENSIONS = {
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.DictComp: "dict",
    ast.GeneratorExp: "generator",
}


def value(low: Lowering, node: ast.expr) -> int:
    """The number of the operation that gives the value of an expression."""
    # A chain like `a.b().c[0]` nests to the left once for each link: it is walked, not descended.
    links = []
    while (link := _LINKS.get(type(node))) is not None:
        links.append((node, link))
        node = node.func if isinstance(node, ast.Call) else node.value  # type: ignore[attr-defined]
    lower = _EXPRESSIONS.get(type(node))
    found = UNBOUND if lower is None else lower(low, node)
    for part, link in reversed(links):
        found = link(low, part, found)
    return found


def values(low: Lowering, nodes: list[ast.expr]) -> list[int]:
    return [value(low, node) for node in nodes]


def _constant(low: Lowering, node: Any) -> int:
    return low.emit(Kind.CONSTANT, (), node.value, node)


def _name(low: Lowering, node: Any) -> int:
    name = node.id
    env = low.env
    found = env.get(name)
    if found is not None:
        return found
    if low.unit.kind == "class" or name not in low.local_names:
        return low.emit(Kind.NAME, (), name, node)
    return UNBOUND


def _attribute(low: Lowering, node: Any, of: int) -> int:
    return low.emit(Kind.ATTRIBUTE, (of,), node.attr, node)


def _call(low: Lowering, node: Any, called: int) -> int:
    operands = [called, *values(low, node.args)]
    names = []
    for keyword in node.keywords:
        operand = value(low, keyword.value)
        if keyword.arg is None:
            operand = low.emit(Kind.STAR, (operand,), 2, keyword.value)
        names.append(keyword.arg or "**")
        operands.append(operand)
    made = low.emit(Kind.CALL, tuple(operands), tuple(names), node)
    low.unit.calls.append(made)
    return made


def _item(low: Lowering, node: Any, of: int) -> int:
    return low.emit(Kind.ITEM, (of, value(low, node.slice)), None, node)


def _slice(low: Lowering, node: Any) -> int:
    parts = (node.lower, node.upper, node.step)
    operands = tuple([UNBOUND if part is None else value(low, part) for part in parts])
    return low.emit(Kind.SLICE, operands, None, node)


def _binary(low: Lowering, node: Any) -> int:
    # A long sum nests to the left once for each term: it is walked, not descended.
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    left = value(low, spine[-1].left)
    for part in reversed(spine):
        right = value(low, part.right)
        left = low.emit(Kind.BINARY, (left, right), type(part.op).__name__, part)
    return left


def _unary(low: Lowering, node: Any) -> int:
    operand = value(low, node.operand)
    return low.emit(Kind.UNARY, (operand,), type(node.op).__name__, node)


def _compare(low: Lowering, node: Any) -> int:
    operands = tuple(values(low, [node.left, *node.comparators]))
    operators = tuple([type(operator).__name__ for operator in node.ops])
    return low.emit(Kind.COMPARE, operands, operators, node)


def _logic(low: Lowering, node: Any) -> int:
    word = "and" if isinstance(node.op, ast.And) else "or"
    first, *others = node.values
    operands = [value(low, first)]
    outer = low.region
    for other in others:
        # What follows `and` runs only where all before it is true.
        test = low.emit(Kind.TEST, (operands[-1],), None, other)
        block = Block.THEN if word == "and" else Block.ELSE
        low.region = low.open_region(block, test, other)
        operands.append(value(low, other))
    low.region = outer
    return low.emit(Kind.LOGIC, tuple(operands), word, node)


def _choice(low: Lowering, node: Any) -> int:
    test = low.emit(Kind.TEST, (value(low, node.test),), None, node.test)
    outer = low.region
    low.region = low.open_region(Block.THEN, test, node.body)
    then = value(low, node.body)
    low.region = low.at(outer, Block.ELSE, test, node.orelse)
    other = value(low, node.orelse)
    low.region = outer
    return low.emit(Kind.CHOICE, (test, then, other), None, node)


def _text(low: Lowering, node: Any) -> int:
    operands = [
        value(low, part.value) for part in node.values if isinstance(part, ast.FormattedValue)
    ]
    return low.emit(Kind.FORMAT, tuple(operands), "".join(map(_written, node.values)), node)


def _written(part: Any) -> str:
    """A part of an f-string as `str.format` would want it."""
    if not isinstance(part, ast.FormattedValue):
        return str(getattr(part, "value", "")).replace("{", "{{").replace("}", "}}")
    conversion = f"!{chr(part.conversion)}" if part.conversion > 0 else ""
    spec = part.format_spec
    parts = spec.values if isinstance(spec, ast.JoinedStr) else []
    return "{" + conversion + (":" + "".join(map(_written, parts)) if parts else "") + "}"


def _display(kind: Kind) -> Callable[[Lowering, Any], int]:
    def lower(low: Lowering, node: Any) -> int:
        return low.emit(kind, tuple(values(low, node.elts)), None, node)

    return lower


def _dict(low: Lowering, node: Any) -> int:
    keys = tuple([-1 if key is None else value(low, key) for key in node.keys])
    return low.emit(Kind.DICT, tuple(values(low, node.values)), keys, node)


def _starred(low: Lowering, node: Any) -> int:
    return low.emit(Kind.STAR, (value(low, node.value),), 1, node)


def _awaited(low: Lowering, node: Any) -> int:
    return low.emit(Kind.AWAIT, (value(low, node.value),), None, node)


def _yielded(low: Lowering, node: Any) -> int:
    operand = UNBOUND if node.value is None else value(low, node.value)
    made = low.emit(Kind.YIELD, (operand,), type(node).__name__, node)
    low.unit.is_generator = True
    low.unit.yields.append(made)
    return made


def _named(low: Lowering, node: Any) -> int:
    found = value(low, node.value)
    low.bind(node.target.id, found)
    return found


def _lambda(low: Lowering, node: Any) -> int:
    return low.function(node, "<lambda>", [])


def _comprehension(low: Lowering, node: Any) -> int:
    outer = low.region
    before = dict(low.env)
    for generator in node.generators:
        iterable = value(low, generator.iter)
        low.region = low.open_region(Block.COMPREHENSION, iterable, node)
        if generator.is_async:
            low.emit(Kind.AWAIT, (iterable,), None, generator.iter)
        element = low.emit(Kind.ELEMENT, (iterable,), low.region, generator.target)
        low.assign(generator.target, element)
        for condition in generator.ifs:
            test = low.emit(Kind.TEST, (value(low, condition),), None, condition)
            low.region = low.open_region(Block.THEN, test, condition)
    if isinstance(node, ast.DictComp):
        operands = [value(low, node.key), value(low, node.value)]
    else:
        operands = [value(low, node.elt)]
    own = {
        part.id
        for generator in node.generators
        for part in ast.walk(generator.target)
        if isinstance(part, ast.Name)
    }
    # What `:=` binds in a comprehension is its function's.
    bound = {
        name: found
        for name, found in low.env.items()
        if name not in own and before.get(name) != found
    }
    low.region = outer
    made = low.emit(Kind.COLLECT, tuple(operands), _COMPREHENSIONS[type(node)], node)
    low.join([before, {**before, **bound}], node)
    return made


_LINKS: dict[type[ast.AST], Callable[[Any, Any, int], int]] = {
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _item,
}
_EXPRESSIONS: dict[type[ast.AST], Callable[[Any, Any], int]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Slice: _slice,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _logic,
    ast.IfExp: _choice,
    ast.JoinedStr: _text,
    ast.List: _display(Kind.LIST),
    ast.Tuple: _display(Kind.TUPLE),
    ast.Set: _display(Kind.SET),
    ast.Dict: _dict,
    ast.Starred: _starred,
    ast.Await: _awaited,
    ast.Yield: _yielded,
    ast.YieldFrom: _yielded,
    ast.NamedExpr: _named,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.GeneratorExp: _comprehension,
}
