"""Text to table: statements become regions, and variables the operations that define them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from deepperf.semantics.ir.blocks import match_block, try_block, with_block
from deepperf.semantics.ir.bound_names import is_true, skippable_in, span_of, stored
from deepperf.semantics.ir.expressions import value
from deepperf.semantics.ir.table import (
    UNBOUND,
    Block,
    Kind,
    Op,
    Parameter,
    Region,
    Table,
    Unit,
)

Env = dict[str, int]


def lower(path: str, tree: ast.Module, text: str) -> Table:
    """The table of a parsed file."""
    units: list[Unit] = []
    span = (1, 0, 1, 0)
    unit = Unit(path, 0, "module", "<module>", -1, span)
    units.append(unit)
    Lowering(units, unit, frozenset(), skippable_in(text)).body(tree.body)
    return Table(path, units)


class _Exit:
    """The variables at each `break` and `continue` of the loop that is being lowered."""

    __slots__ = ("breaks", "continues")

    def __init__(self) -> None:
        self.breaks: list[Env] = []
        self.continues: list[Env] = []


class Lowering:
    """One unit in the making: its variables and the region where the next operation goes."""

    def __init__(
        self,
        units: list[Unit],
        unit: Unit,
        local_names: frozenset[str],
        skippable: frozenset[type],
    ) -> None:
        self.units = units
        self.unit = unit
        self.local_names = local_names
        self.skippable = skippable
        self.env: Env = {}
        self.region = 0
        self.reachable = True
        self.exits: list[_Exit] = []
        unit.regions.append(Region(Block.BODY, -1, UNBOUND, unit.span))
        unit.ops.append(Op(Kind.UNBOUND, (), None, 0, unit.span))

    def emit(self, kind: Kind, args: tuple[int, ...], data: Any, node: Any) -> int:
        span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        ops = self.unit.ops
        ops.append(Op(kind, args, data, self.region, span))
        return len(ops) - 1

    def bind(self, name: str, found: int) -> None:
        self.unit.bindings.setdefault(name, []).append(found)
        if name not in self.unit.outer_names:
            self.env[name] = found

    def open_region(self, block: Block, op: int, node: Any) -> int:
        return self.at(self.region, block, op, node)

    def at(self, parent: int, block: Block, op: int, node: Any) -> int:
        regions = self.unit.regions
        regions.append(Region(block, parent, op, span_of(node)))
        return len(regions) - 1

    def assign(self, target: ast.expr, found: int) -> None:
        """Give the value of an operation to whatever is assigned to."""
        kind = type(target)
        if kind is ast.Name:
            name = target.id  # type: ignore[attr-defined]
            self.bind(name, found)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, found)
        elif isinstance(target, ast.Attribute):
            self.emit(Kind.SET_ATTRIBUTE, (value(self, target.value), found), target.attr, target)
        elif isinstance(target, ast.Subscript):
            operands = (value(self, target.value), value(self, target.slice), found)
            self.emit(Kind.SET_ITEM, operands, None, target)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, found)

    def _unpack(self, target: Any, found: int) -> None:
        elements = target.elts
        display = self.unit.ops[found]
        same = (
            display.kind in (Kind.TUPLE, Kind.LIST)
            and len(display.args) == len(elements)
            and not any(isinstance(element, ast.Starred) for element in elements)
        )
        starred = False
        for index, element in enumerate(elements):
            if same:
                part = display.args[index]
            else:
                is_starred = isinstance(element, ast.Starred)
                number = index - len(elements) if starred and not is_starred else index
                starred = starred or is_starred
                data = ("*", index) if is_starred else number
                part = self.emit(Kind.PART, (found,), data, element)
            self.assign(element, part)

    def function(self, node: Any, name: str, decorators: list[int]) -> int:
        """The operation that makes a function; its body becomes a unit."""
        parent, arguments = self.unit, node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: list[Any] = [None] * (len(positional) - len(arguments.defaults))
        listed: list[tuple[ast.arg, str, Any]] = [
            (arg, "", default)
            for arg, default in zip(positional, [*defaults, *arguments.defaults], strict=True)
        ]
        if arguments.vararg:
            listed.append((arguments.vararg, "*", None))
        listed += [
            (arg, "keyword", default)
            for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        ]
        if arguments.kwarg:
            listed.append((arguments.kwarg, "**", None))
        unit = Unit(
            parent.path,
            len(self.units),
            "lambda" if isinstance(node, ast.Lambda) else "function",
            name,
            parent.number,
            span_of(node),
            tuple([Parameter(arg.arg, passing) for arg, passing, _ in listed]),
            isinstance(node, ast.AsyncFunctionDef),
        )
        self.units.append(unit)
        made = self.emit(Kind.FUNCTION, tuple(decorators), unit.number, node)
        unit.definition = made
        body = node.body if isinstance(node.body, list) else [node.body]
        bound, outer = stored(body, self.skippable)
        names = bound - outer | {p.name for p in unit.parameters}
        inner = Lowering(self.units, unit, names, self.skippable)
        unit.outer_names = set(outer)
        for index, (arg, _, default) in enumerate(listed):
            annotation = UNBOUND if arg.annotation is None else value(inner, arg.annotation)
            given = UNBOUND if default is None else value(inner, default)
            inner.bind(arg.arg, inner.emit(Kind.PARAMETER, (annotation, given), index, arg))
        if isinstance(node, ast.Lambda):
            result = value(inner, node.body)
            unit.returns.append(inner.emit(Kind.RETURN, (result,), None, node.body))
        else:
            inner.body(node.body)
        return made

    def _define(self, node: Any) -> None:
        decorators = [value(self, decorator) for decorator in node.decorator_list]
        self.bind(node.name, self.function(node, node.name, decorators))

    def _class(self, node: ast.ClassDef) -> None:
        bases = [value(self, base) for base in node.bases]
        decorators = [value(self, decorator) for decorator in node.decorator_list]
        unit = Unit(
            self.unit.path, len(self.units), "class", node.name, self.unit.number, span_of(node)
        )
        self.units.append(unit)
        made = self.emit(Kind.CLASS, (*bases, *decorators), (unit.number, len(bases)), node)
        unit.definition = made
        Lowering(self.units, unit, frozenset(), self.skippable).body(node.body)
        self.bind(node.name, made)

    def body(self, statements: Iterable[ast.stmt]) -> None:
        """Lower statements; what follows one that always leaves is left out."""
        outer = self.region
        for statement in statements:
            if not self.reachable:
                break
            lower_one = _STATEMENTS.get(type(statement))
            if lower_one is not None:
                lower_one(self, statement)
        self.region = outer

    def _expression(self, node: Any) -> None:
        value(self, node.value)

    def _assign(self, node: Any) -> None:
        found = value(self, node.value)
        for target in node.targets:
            self.assign(target, found)

    def _annotated(self, node: Any) -> None:
        if node.value is not None:
            self.assign(node.target, value(self, node.value))
        elif isinstance(node.target, ast.Name) and self.unit.kind == "class":
            self.bind(node.target.id, UNBOUND)

    def _augmented(self, node: Any) -> None:
        target = node.target
        before = value(self, target)
        operand = value(self, node.value)
        made = self.emit(Kind.BINARY, (before, operand), f"{type(node.op).__name__}=", node)
        self.assign(target, made)

    def _return(self, node: Any) -> None:
        found = UNBOUND if node.value is None else value(self, node.value)
        self.unit.returns.append(self.emit(Kind.RETURN, (found,), None, node))
        self._leave()

    def _raise(self, node: Any) -> None:
        found = UNBOUND if node.exc is None else value(self, node.exc)
        self.emit(Kind.RAISE, (found,), None, node)
        self._leave()

    def _leave(self) -> None:
        self.unit.regions[self.region].leaves = True
        self.reachable = False

    def _break(self, _: Any) -> None:
        if self.exits:
            self.exits[-1].breaks.append(dict(self.env))
        self._leave()

    def _continue(self, _: Any) -> None:
        if self.exits:
            self.exits[-1].continues.append(dict(self.env))
        self.reachable = False

    def _if(self, node: Any) -> None:
        ends: list[Env] = []
        outer = self.region
        while True:
            test = self.emit(Kind.TEST, (value(self, node.test),), None, node.test)
            start = dict(self.env)
            base = self.region
            self.region = self.open_region(Block.THEN, test, node)
            self.body(node.body)
            if self.reachable:
                ends.append(self.env)
            self.env, self.reachable = start, True
            self.region = self.at(base, Block.ELSE, test, node)
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                node = node.orelse[0]
                continue
            break
        self.body(node.orelse)
        otherwise = self.region
        if self.reachable:
            ends.append(self.env)
        if len(ends) == 1 and self.reachable:
            # All other branches leave: what follows runs under the conditions' opposite.
            self.region = otherwise
            return
        self.region = outer
        self.join(ends, node)

    def join(self, ends: list[Env], node: Any) -> None:
        self.reachable = bool(ends)
        if not ends:
            return
        first = ends[0]
        if len(ends) == 1:
            self.env = first
            return
        joined = dict(first)
        names = set(first).union(*ends[1:]) if len(ends) > 1 else set(first)
        for name in sorted(names):
            found = [end.get(name, UNBOUND) for end in ends]
            if any(one != found[0] for one in found):
                operands = tuple(dict.fromkeys(found))
                joined[name] = self.emit(Kind.PHI, operands, name, node)
            else:
                joined[name] = found[0]
        self.env = joined

    def _for(self, node: Any) -> None:
        iterable = value(self, node.iter)
        self._loop(node, Block.FOR, iterable)

    def _while(self, node: Any) -> None:
        self._loop(node, Block.WHILE, UNBOUND)

    def _loop(self, node: Any, block: Block, iterable: int) -> None:
        outer = self.region
        names, _ = stored([node], self.skippable)
        self.region = region = self.open_region(block, iterable, node)
        first = span_of(node.iter if block is Block.FOR else node.test)
        self.unit.regions[region].header = (*span_of(node)[:2], *first[2:])
        heads: dict[str, int] = {}
        for name in sorted(names):
            if name in self.env or name in self.local_names or self.unit.kind == "module":
                before = self.env.get(name, UNBOUND)
                head = self.emit(Kind.CYCLE, (before, before), region, node)
                heads[name] = self.env[name] = head
        self.exits.append(_Exit())
        after_head: Env
        if block is Block.FOR:
            after_head = dict(self.env)
            if isinstance(node, ast.AsyncFor):
                self.emit(Kind.AWAIT, (iterable,), None, node.iter)
            element = self.emit(Kind.ELEMENT, (iterable,), region, node.target)
            self.assign(node.target, element)
        else:
            test = self.emit(Kind.TEST, (value(self, node.test),), None, node.test)
            self.unit.regions[region].op = test
            after_head = dict(self.env)
        self.body(node.body)
        ends = self.exits[-1].continues
        if self.reachable:
            ends = [*ends, self.env]
        for name, head in heads.items():
            carried = tuple(dict.fromkeys(end.get(name, UNBOUND) for end in ends))
            op = self.unit.ops[head]
            op.args = (op.args[0], *carried)
        breaks = self.exits.pop().breaks
        self.region = outer
        self.env, self.reachable = after_head, True
        endless = block is Block.WHILE and is_true(node.test)
        if node.orelse:
            self.body(node.orelse)
        leaving = ([] if endless or not self.reachable else [self.env]) + breaks
        self.join(leaving or [after_head], node)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            whole = alias.name if alias.asname else alias.name.partition(".")[0]
            found = self.emit(Kind.IMPORT, (), whole, node)
            self.bind(alias.asname or whole, found)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.unit.stars.append(module)
                continue
            dotted = f"{module}{alias.name}" if module.endswith(".") else f"{module}.{alias.name}"
            self.bind(alias.asname or alias.name, self.emit(Kind.IMPORT, (), dotted, node))

    def _delete(self, node: Any) -> None:
        for target in node.targets:
            self.emit(Kind.DELETE, (value(self, target),), None, target)
            if isinstance(target, ast.Name):
                self.env[target.id] = UNBOUND

    def _assert(self, node: Any) -> None:
        self.emit(Kind.TEST, (value(self, node.test),), "assert", node.test)


_STATEMENTS: dict[type[ast.AST], Any] = {
    ast.Expr: Lowering._expression,
    ast.Assign: Lowering._assign,
    ast.AnnAssign: Lowering._annotated,
    ast.AugAssign: Lowering._augmented,
    ast.Return: Lowering._return,
    ast.Raise: Lowering._raise,
    ast.Break: Lowering._break,
    ast.Continue: Lowering._continue,
    ast.If: Lowering._if,
    ast.For: Lowering._for,
    ast.AsyncFor: Lowering._for,
    ast.While: Lowering._while,
    ast.With: with_block,
    ast.AsyncWith: with_block,
    ast.Try: try_block,
    ast.FunctionDef: Lowering._define,
    ast.AsyncFunctionDef: Lowering._define,
    ast.ClassDef: Lowering._class,
    ast.Import: Lowering._import,
    ast.ImportFrom: Lowering._import_from,
    ast.Delete: Lowering._delete,
    ast.Assert: Lowering._assert,
}
if hasattr(ast, "Match"):
    _STATEMENTS[ast.Match] = match_block
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = try_block
