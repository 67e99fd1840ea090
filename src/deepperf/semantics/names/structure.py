"""One walk over a module's tree, which finds its scopes and what stands in them.

The walk records what stands where and decides nothing; names, values and flow are asked
for later, and only where a rule wants to know.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias

from deepperf.semantics.names.scopes import (
    COMPREHENSIONS,
    DISPLAYS,
    AttributeWrite,
    Branch,
    CallSite,
    ComprehensionNode,
    Frame,
    FunctionNode,
    LoopNode,
    Scope,
    ScopeKind,
    Scopes,
    last_name,
    parameters,
)
from deepperf.semantics.text.tree import children, walk


def find_scopes(tree: ast.Module, path: str) -> Scopes:
    """Walk `tree` once."""
    module = Scope(ScopeKind.MODULE, tree, "<module>", None, path)
    scopes = Scopes(module, {id(tree): module}, {}, {}, [], set(), set(), {}, [], set())
    _walk_statements(tree.body, module, (), scopes)
    return scopes


def _walk_statements(
    statements: list[ast.stmt], scope: Scope, frames: tuple[Frame, ...], out: Scopes
) -> None:
    for statement in statements:
        handler = _STATEMENTS.get(type(statement))
        if handler is not None:
            handler(statement, scope, frames, out)
        else:
            for child in children(statement):
                if isinstance(child, ast.expr):
                    _walk_expression(child, scope, frames, statement, out)


def _walk_expression(
    root: ast.expr, scope: Scope, frames: tuple[Frame, ...], statement: ast.stmt, out: Scopes
) -> None:
    if type(root) is ast.Name or type(root) is ast.Constant:
        return
    # The commonest kinds come first: this loop sees every expression of the program.
    stack: list[ast.AST] = [root]
    pop = stack.pop
    while stack:
        node = pop()
        kind = type(node)
        while kind is ast.Attribute:
            node = node.value  # type: ignore[attr-defined]
            kind = type(node)
        if kind is ast.Name or kind is ast.Constant:
            continue
        if kind is ast.Call:
            site = CallSite(node, scope, frames, statement)  # type: ignore[arg-type]
            scope.calls.append(site)
            out.call_sites[id(node)] = site
            stack.append(node.func)  # type: ignore[attr-defined]
            stack += node.args  # type: ignore[attr-defined]
            if node.keywords:  # type: ignore[attr-defined]
                stack += [keyword.value for keyword in node.keywords]  # type: ignore[attr-defined]
        elif kind is ast.Subscript:
            stack += (node.value, node.slice)  # type: ignore[attr-defined]
        elif kind is ast.Tuple or kind is ast.List or kind is ast.Set:
            stack += node.elts  # type: ignore[attr-defined]
        elif kind is ast.BinOp:
            stack += (node.left, node.right)  # type: ignore[attr-defined]
        elif kind is ast.Compare:
            stack.append(node.left)  # type: ignore[attr-defined]
            stack += node.comparators  # type: ignore[attr-defined]
        elif kind is ast.BoolOp:
            out.choosing.add(id(statement))
            stack += node.values  # type: ignore[attr-defined]
        elif kind is ast.UnaryOp:
            stack.append(node.operand)  # type: ignore[attr-defined]
        elif kind is ast.FormattedValue:
            stack.append(node.value)  # type: ignore[attr-defined]
            if node.format_spec is not None:  # type: ignore[attr-defined]
                stack.append(node.format_spec)  # type: ignore[attr-defined]
        elif kind is ast.Lambda:
            _enter_function(node, "<lambda>", scope, frames, statement, out)  # type: ignore[arg-type]
        elif kind in _COMPREHENSION_KINDS:
            _walk_comprehension(node, scope, frames, statement, out)  # type: ignore[arg-type]
        elif kind is ast.NamedExpr:
            scope.bound.add(node.target.id)  # type: ignore[attr-defined]
            scope.binds_in_expressions += 1
            stack.append(node.value)  # type: ignore[attr-defined]
        elif kind is ast.Yield or kind is ast.YieldFrom:
            value = node.value  # type: ignore[attr-defined]
            scope.yields.append(value)
            if value is not None:
                stack.append(value)
        elif kind is ast.IfExp:
            out.choosing.add(id(statement))
            stack += (node.test, node.body, node.orelse)  # type: ignore[attr-defined]
        elif kind is ast.Dict:
            stack += [key for key in node.keys if key is not None]  # type: ignore[attr-defined]
            stack += node.values  # type: ignore[attr-defined]
        else:
            stack += children(node)


_COMPREHENSION_KINDS = frozenset(COMPREHENSIONS)
_DISPLAY_KINDS = frozenset(DISPLAYS)


def _walk_comprehension(
    node: ComprehensionNode,
    scope: Scope,
    frames: tuple[Frame, ...],
    statement: ast.stmt,
    out: Scopes,
) -> None:
    frame = Frame(node, Branch.BODY, scope)
    scope.loops.append(frame)
    out.loop_frames[id(node)] = frame
    inner = (*frames, frame)
    for index, generator in enumerate(node.generators):
        # The first iterable is evaluated once, outside; the others in each turn.
        around = inner if index else frames
        _walk_expression(generator.iter, scope, around, statement, out)
        target = generator.target
        if type(target) is ast.Name:
            scope.comprehended.add(target.id)
        else:
            names = (part for part in walk(target) if isinstance(part, ast.Name))
            scope.comprehended.update(name.id for name in names)
        for condition in generator.ifs:
            _walk_expression(condition, scope, inner, statement, out)
    if isinstance(node, ast.DictComp):
        _walk_expression(node.key, scope, inner, statement, out)
        _walk_expression(node.value, scope, inner, statement, out)
    else:
        _walk_expression(node.elt, scope, inner, statement, out)


def _enter_function(
    node: FunctionNode,
    name: str,
    scope: Scope,
    frames: tuple[Frame, ...],
    statement: ast.stmt,
    out: Scopes,
) -> Scope:
    inner = Scope(ScopeKind.FUNCTION, node, name, scope, scope.module_path, frames, statement)
    scope.children.append(inner)
    out.by_node[id(node)] = inner
    arguments = node.args
    for argument in parameters(node):
        inner.bound.add(argument.arg)
    for default in (*arguments.defaults, *arguments.kw_defaults):
        if default is not None:
            _walk_expression(default, scope, frames, statement, out)
    if isinstance(node, ast.Lambda):
        inner.returns.append(node.body)
        _walk_expression(node.body, inner, (), statement, out)
    else:
        _walk_statements(node.body, inner, (), out)
    return inner


def _function(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    scope: Scope,
    frames: tuple[Frame, ...],
    out: Scopes,
) -> None:
    scope.bound.add(node.name)
    for decorator in node.decorator_list:
        _walk_expression(decorator, scope, frames, node, out)
    _enter_function(node, node.name, scope, frames, node, out)


def _class(node: ast.ClassDef, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    scope.bound.add(node.name)
    for expression in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
        _walk_expression(expression, scope, frames, node, out)
    inner = Scope(ScopeKind.CLASS, node, node.name, scope, scope.module_path, frames, node)
    scope.children.append(inner)
    out.by_node[id(node)] = inner
    _walk_statements(node.body, inner, (), out)


def _bind_target(
    target: ast.expr,
    value: ast.expr | None,
    unpacking: tuple[int, ...],
    scope: Scope,
    frames: tuple[Frame, ...],
    statement: ast.stmt,
    out: Scopes,
) -> None:
    if type(target) is ast.Name:
        scope.bound.add(target.id)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for index, element in enumerate(target.elts):
            _bind_target(element, value, (*unpacking, index), scope, frames, statement, out)
    elif isinstance(target, ast.Starred):
        _bind_target(target.value, None, (), scope, frames, statement, out)
    elif isinstance(target, ast.Attribute):
        if isinstance(target.value, ast.Name):
            write = AttributeWrite(target.value.id, target.attr, value, unpacking, scope, frames)
        else:
            write = AttributeWrite("", target.attr, value, unpacking, scope, frames)
        scope.attribute_writes.append(write)
        _walk_expression(target.value, scope, frames, statement, out)
    elif isinstance(target, ast.Subscript):
        scope.item_writes.append((target.value, frames))
        _walk_expression(target.value, scope, frames, statement, out)
        _walk_expression(target.slice, scope, frames, statement, out)


def _assign(node: ast.Assign, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    value = node.value
    for target in node.targets:
        _bind_target(target, value, (), scope, frames, node, out)
    kind = type(value)
    if kind is ast.Call:
        given = [old for a in value.args if (old := last_name(a)) is not None]  # type: ignore[attr-defined]
        for target in node.targets if given else ():
            new = last_name(target)
            if new is not None:
                out.wrapped.update([(new, old) for old in given])
    elif kind is ast.Name or kind is ast.Attribute or kind is ast.IfExp:
        either = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
        for target in node.targets:
            new = last_name(target)
            for old in map(last_name, either):
                if new is not None and old is not None and new != old:
                    out.renamed.add((new, old))
    elif kind in _DISPLAY_KINDS:
        out.displayed.append((node, scope, frames))
    _walk_expression(value, scope, frames, node, out)


def _annotated(node: ast.AnnAssign, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    _bind_target(node.target, node.value, (), scope, frames, node, out)
    if node.value is not None:
        if type(node.value) in _DISPLAY_KINDS:
            out.displayed.append((node, scope, frames))
        _walk_expression(node.value, scope, frames, node, out)


def _augmented(node: ast.AugAssign, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    _bind_target(node.target, None, (), scope, frames, node, out)
    _walk_expression(node.value, scope, frames, node, out)


def _delete(node: ast.Delete, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    for target in node.targets:
        _bind_target(target, None, (), scope, frames, node, out)


def _for(
    node: ast.For | ast.AsyncFor, scope: Scope, frames: tuple[Frame, ...], out: Scopes
) -> None:
    _walk_expression(node.iter, scope, frames, node, out)
    frame = _loop_frame(node, scope, out)
    inner = (*frames, frame)
    _bind_target(node.target, None, (), scope, inner, node, out)
    _walk_statements(node.body, scope, inner, out)
    _walk_statements(node.orelse, scope, frames, out)


def _while(node: ast.While, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    frame = _loop_frame(node, scope, out)
    inner = (*frames, frame)
    _walk_expression(node.test, scope, inner, node, out)
    _walk_statements(node.body, scope, inner, out)
    _walk_statements(node.orelse, scope, frames, out)


def _loop_frame(node: LoopNode, scope: Scope, out: Scopes) -> Frame:
    frame = Frame(node, Branch.BODY, scope)
    scope.loops.append(frame)
    out.loop_frames[id(node)] = frame
    return frame


def _if(node: ast.If, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    _walk_expression(node.test, scope, frames, node, out)
    _walk_statements(node.body, scope, (*frames, Frame(node, Branch.BODY, scope)), out)
    if node.orelse:
        _walk_statements(node.orelse, scope, (*frames, Frame(node, Branch.ELSE, scope)), out)


def _with(
    node: ast.With | ast.AsyncWith, scope: Scope, frames: tuple[Frame, ...], out: Scopes
) -> None:
    inner = (*frames, Frame(node, Branch.BODY, scope))
    for index, item in enumerate(node.items):
        _walk_expression(item.context_expr, scope, inner if index else frames, node, out)
        if item.optional_vars is not None:
            _bind_target(item.optional_vars, None, (), scope, inner, node, out)
    _walk_statements(node.body, scope, inner, out)


def _try(node: ast.Try, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    _walk_statements(node.body, scope, (*frames, Frame(node, Branch.BODY, scope)), out)
    handler_frames = (*frames, Frame(node, Branch.HANDLER, scope))
    for handler in node.handlers:
        if handler.name:
            scope.bound.add(handler.name)
        if handler.type is not None:
            _walk_expression(handler.type, scope, frames, node, out)
        _walk_statements(handler.body, scope, handler_frames, out)
    _walk_statements(node.orelse, scope, (*frames, Frame(node, Branch.ELSE, scope)), out)
    _walk_statements(node.finalbody, scope, (*frames, Frame(node, Branch.FINALLY, scope)), out)


def _match(node: ast.Match, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    _walk_expression(node.subject, scope, frames, node, out)
    inner = (*frames, Frame(node, Branch.BODY, scope))
    for case in node.cases:
        for pattern in walk(case.pattern):
            if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name:
                scope.bound.add(pattern.name)
            elif isinstance(pattern, ast.MatchMapping) and pattern.rest:
                scope.bound.add(pattern.rest)
        if case.guard is not None:
            _walk_expression(case.guard, scope, inner, node, out)
        _walk_statements(case.body, scope, inner, out)


def _return(node: ast.Return, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    if node.value is not None:
        scope.returns.append(node.value)
        _walk_expression(node.value, scope, frames, node, out)


def _import(
    node: ast.Import | ast.ImportFrom, scope: Scope, _: tuple[Frame, ...], out: Scopes
) -> None:
    for alias in node.names:
        out.imports[id(alias)] = node
        if alias.name == "*":
            if isinstance(node, ast.ImportFrom):
                scope.star_imports.append(node)
        elif alias.asname:
            scope.bound.add(alias.asname)
            out.renamed.add((alias.asname, alias.name.rpartition(".")[2]))
        elif isinstance(node, ast.Import):
            scope.bound.add(alias.name.partition(".")[0])
        else:
            scope.bound.add(alias.name)


def _outer(
    node: ast.Global | ast.Nonlocal, scope: Scope, _: tuple[Frame, ...], out: Scopes
) -> None:
    if not scope.outer_names:
        out.declaring.append(scope)
    scope.outer_names.update(node.names)


def _expression(node: ast.Expr, scope: Scope, frames: tuple[Frame, ...], out: Scopes) -> None:
    if type(node.value) is not ast.Constant:
        _walk_expression(node.value, scope, frames, node, out)


def _nothing(_: ast.stmt, __: Scope, ___: tuple[Frame, ...], ____: Scopes) -> None:
    """Statements without expressions."""


_Handler: TypeAlias = Callable[[Any, Scope, tuple[Frame, ...], Scopes], None]
_HANDLERS: tuple[tuple[tuple[type[ast.stmt], ...], _Handler], ...] = (
    ((ast.FunctionDef, ast.AsyncFunctionDef), _function),
    ((ast.ClassDef,), _class),
    ((ast.Assign,), _assign),
    ((ast.AnnAssign,), _annotated),
    ((ast.AugAssign,), _augmented),
    ((ast.Delete,), _delete),
    ((ast.For, ast.AsyncFor), _for),
    ((ast.While,), _while),
    ((ast.If,), _if),
    ((ast.With, ast.AsyncWith), _with),
    ((ast.Try, getattr(ast, "TryStar", ast.Try)), _try),
    ((ast.Match,), _match),
    ((ast.Return,), _return),
    ((ast.Import, ast.ImportFrom), _import),
    ((ast.Global, ast.Nonlocal), _outer),
    ((ast.Expr,), _expression),
    ((ast.Pass, ast.Break, ast.Continue), _nothing),
)
_STATEMENTS = {kind: handler for kinds, handler in _HANDLERS for kind in kinds}
