"""Blocks that are neither loops nor plain conditions: `with`, `try` and `match`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from deepperf.semantics.ir.bound_names import captured
from deepperf.semantics.ir.expressions import value
from deepperf.semantics.ir.table import UNBOUND, Block, Kind

if TYPE_CHECKING:
    from deepperf.semantics.ir.lower import Env, Lowering


def with_block(low: Lowering, node: Any) -> None:
    outer = low.region
    for item in node.items:
        manager = value(low, item.context_expr)
        if isinstance(node, ast.AsyncWith):
            low.emit(Kind.AWAIT, (manager,), None, item.context_expr)
        entered = low.emit(Kind.ENTER, (manager,), None, item.context_expr)
        if item.optional_vars is not None:
            low.assign(item.optional_vars, entered)
        low.region = low.open_region(Block.WITH, entered, node)
    low.body(node.body)
    low.region = outer


def try_block(low: Lowering, node: Any) -> None:
    outer, before = low.region, dict(low.env)
    low.region = low.open_region(Block.TRY, UNBOUND, node)
    low.body(node.body)
    ends: list[Env] = []
    within = dict(low.env)
    if low.reachable:
        low.body(node.orelse)
        if low.reachable:
            ends.append(low.env)
    for handler in node.handlers:
        low.region = low.at(outer, Block.HANDLER, UNBOUND, handler)
        low.reachable = True
        low.join([dict(before), dict(within)], handler)
        if handler.name:
            low.bind(handler.name, low.emit(Kind.CAUGHT, (), None, handler))
        low.body(handler.body)
        if low.reachable:
            ends.append(low.env)
    low.region = outer
    if ends:
        low.join(ends, node)
        low.body(node.finalbody)
    else:
        low.env, low.reachable = within, True
        low.body(node.finalbody)
        low.reachable = False


def match_block(low: Lowering, node: Any) -> None:
    subject = value(low, node.subject)
    outer, ends = low.region, []
    for case in node.cases:
        start = dict(low.env)
        test = low.emit(Kind.TEST, (subject,), "match", node.subject)
        low.region = low.at(outer, Block.THEN, test, node)
        for name in captured(case.pattern):
            low.bind(name, low.emit(Kind.PART, (subject,), -1, node.subject))
        low.body(case.body)
        if low.reachable:
            ends.append(low.env)
        low.env, low.reachable, low.region = start, True, outer
    low.join([*ends, low.env], node)
