"""Whether what an expression stands for is made one by one, while a loop goes over it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.dynamic.program.text import Function, function_around, tree_of
from deepperf.semantics.names.scopes import last_name

LAZY = ("iter", "map", "filter", "open", "cycle", "count", "chain", "islice", "imap", "generator")
"""What hands over what it is given, or reads, one by one."""
PASSES_ON = ("enumerate", "zip", "tqdm")
"""What does so if what it is given does."""
FURTHEST = 4
"""Names that are followed from one to the next."""


def comes_one_by_one(file: str, line: int, value: ast.expr) -> bool:
    """Whether an expression at a line may be a generator's, as far as the text of its file tells:
    what a parameter is called with, and what a name or an attribute is set to, is followed."""
    tree = tree_of(file)
    return tree is not None and _comes(tree, line, value, FURTHEST)


def _comes(tree: ast.Module, line: int, value: ast.expr, further: int) -> bool:
    if isinstance(value, ast.GeneratorExp):
        return True
    if isinstance(value, ast.Call):
        name = last_name(value.func)
        if name in PASSES_ON:
            return any(_comes(tree, line, one, further) for one in value.args)
        return name in LAZY or name in _generators(tree)
    if not further or not isinstance(value, (ast.Name, ast.Attribute)):
        return False
    return any(_comes(tree, at, one, further - 1) for at, one in _bound(tree, line, value))


def _generators(tree: ast.Module) -> frozenset[str]:
    """The functions of a file that yield, and the classes whose objects are gone through so."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, Function) and _yields(node):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            if any(one.name == "__next__" or _goes_through(one) for one in methods):
                found.add(node.name)
    return frozenset(found)


def _goes_through(method: ast.FunctionDef) -> bool:
    return method.name == "__iter__" and _yields(method)


def _yields(function: Function) -> bool:
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return False


def _bound(
    tree: ast.Module, line: int, name: ast.Name | ast.Attribute
) -> Iterator[tuple[int, ast.expr]]:
    """What a name may have been set to, and where that stands."""
    written = ast.unparse(name)
    function = function_around(tree, line)
    own = [*_assigned(function, written)]
    if isinstance(function, Function):
        yield from _handed_to(tree, function, written)
    # An attribute is set in another method; a name that a function does not set is the module's.
    yield from own or _assigned(tree, written)


def _assigned(scope: ast.AST, written: str) -> Iterator[tuple[int, ast.expr]]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            targets = [node.target]
        else:
            continue
        if node.value is not None and written in map(ast.unparse, targets):
            yield node.lineno, node.value


def _handed_to(
    tree: ast.Module, function: Function, parameter: str
) -> Iterator[tuple[int, ast.expr]]:
    """What the calls of a function in its file hand over for a parameter."""
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    called = function.name
    if names[:1] == ["self"]:
        names = names[1:]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        is_made = function.name == "__init__" and _is_class(tree, last_name(node.func), function)
        if not is_made and last_name(node.func) != called:
            continue
        for number, given in enumerate(node.args):
            if names[number : number + 1] == [parameter]:
                yield node.lineno, given
        for keyword in node.keywords:
            if keyword.arg == parameter:
                yield node.lineno, keyword.value


def _is_class(tree: ast.Module, name: str | None, method: Function) -> bool:
    return any(
        isinstance(node, ast.ClassDef) and node.name == name and method in node.body
        for node in ast.walk(tree)
    )
