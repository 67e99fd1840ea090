"""Programs changed in ways that change nothing of what they do, as their trees alone tell.

Nothing here knows what deepperf makes of a program.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby

Trees = Mapping[str, ast.Module]
Functions = (ast.FunctionDef, ast.AsyncFunctionDef)
Scopes = (*Functions, ast.Lambda)
_PLACED = (ast.expr, ast.stmt, ast.excepthandler)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def written(tree: ast.Module) -> tuple[str, dict[int, int]]:
    """The text of a tree, and for each line of it the line where the tree says it stood."""
    text = ast.unparse(ast.fix_missing_locations(tree))
    lines: dict[int, int] = {}
    for new, old in _line_pairs(tree, text):
        lines.setdefault(new, old)
    return text, lines


def first_lines(tree: ast.Module) -> dict[int, int]:
    """For each line of a program the first one of what is one line when it is written anew."""
    text, lines = written(tree)
    return {old: lines[new] for new, old in _line_pairs(tree, text)}


def _line_pairs(tree: ast.Module, text: str) -> Iterator[tuple[int, int]]:
    for old, new in zip(ast.walk(tree), ast.walk(ast.parse(text)), strict=True):
        assert type(old) is type(new)
        if isinstance(old, _PLACED) and isinstance(new, _PLACED):
            yield new.lineno, old.lineno


def laid_out_anew(trees: Trees) -> Trees:
    """The same programs: writing a tree down forgets comments, blank lines and breaks of lines."""
    return trees


def with_locals_renamed(trees: Trees) -> Trees:
    """Other names for variables and parameters, `self` among them."""
    names = _renamable_variables(trees)
    return {path: _renamed(tree, names, trees) for path, tree in trees.items()}


def with_functions_renamed(trees: Trees) -> Trees:
    """Other names for functions that are no methods, and for private methods."""
    names = _renamable_functions(trees)
    return {path: _renamed(tree, names, trees) for path, tree in trees.items()}


def with_functions_reversed(trees: Trees) -> Trees:
    """Functions that stand behind each other in a module, the last of them first."""
    return {path: _reversed(copy.deepcopy(tree)) for path, tree in trees.items()}


def with_functions_in_a_class(trees: Trees) -> Trees:
    """A module's functions as static methods of a class."""
    if len(trees) > 1:
        return trees
    return {path: _in_a_class(copy.deepcopy(tree)) for path, tree in trees.items()}


def with_bodies_moved(trees: Trees) -> Trees:
    """The body of each plain function of a module in a second one, which the first one calls."""
    return {path: _moved(copy.deepcopy(tree)) for path, tree in trees.items()}


TRANSFORMS: tuple[Callable[[Trees], Trees], ...] = (
    laid_out_anew,
    with_locals_renamed,
    with_functions_renamed,
    with_functions_reversed,
    with_functions_in_a_class,
    with_bodies_moved,
)


def spread_out(text: str) -> tuple[str, dict[int, int]]:
    """The text with a comment and a blank line before each statement, and where lines stood."""
    starts = {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)}
    out: list[str] = []
    lines: dict[int, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if number in starts:
            indent = line[: len(line) - len(line.lstrip())]
            out += [f"{indent}# a comment", ""]
        out.append(line)
        lines[len(out)] = number
    return "\n".join(out), lines


def _walk(trees: Trees) -> Iterator[ast.AST]:
    for tree in trees.values():
        yield from ast.walk(tree)


def _arguments(function: FunctionNode) -> list[ast.arg]:
    listed = function.args
    found = [*listed.posonlyargs, *listed.args, *listed.kwonlyargs]
    return found + [one for one in (listed.vararg, listed.kwarg) if one is not None]


def _texts(trees: Trees) -> set[str]:
    """What stands in strings: a name there may be looked up by it."""
    found = set()
    for node in _walk(trees):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.update(node.value.replace("-", "_").split())
            found.add(node.value.strip("-").replace("-", "_"))
    return found


def _imported(trees: Trees) -> set[str]:
    found = set()
    for node in _walk(trees):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found |= {alias.name.split(".")[0], alias.asname or alias.name}
    return found


def _names_of_classes(trees: Trees) -> set[str]:
    """What is bound in the body of a class: fields, methods."""
    found = set()
    for node in _walk(trees):
        if isinstance(node, ast.ClassDef):
            found.add(node.name)
            for statement in node.body:
                if isinstance(statement, Functions):
                    found.add(statement.name)
                else:
                    found |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
    return found


def _renamable_variables(trees: Trees) -> dict[str, str]:
    stored, kept = dict[str, None](), set[str](dir(builtins))
    unpacked = any(isinstance(node, ast.keyword) and node.arg is None for node in _walk(trees))
    for node in _walk(trees):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored[node.id] = None
        elif isinstance(node, Scopes):
            stored.update((argument.arg, None) for argument in _arguments(node))
            if unpacked:
                kept |= {argument.arg for argument in _arguments(node)}
            if isinstance(node, Functions):
                kept.add(node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            kept.update(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            kept.add(node.name)
        elif isinstance(node, ast.pattern):
            kept.update(n for n in (getattr(node, key, None) for key in ("name", "rest")) if n)
        elif isinstance(node, ast.Attribute) and len(trees) > 1:
            kept.add(node.attr)
    kept |= _texts(trees) | _imported(trees) | _names_of_classes(trees)
    kept |= _passed_unseen(trees)
    names = [name for name in stored if name not in kept and not name.startswith("_")]
    return {name: f"v{number}" for number, name in enumerate(names)}


def _owners(trees: Trees) -> dict[str, set[str]]:
    """The parameters of each function, by its name; a class has those of its `__init__`."""
    found: dict[str, set[str]] = {}
    for node in _walk(trees):
        if isinstance(node, Functions):
            found.setdefault(node.name, set()).update(a.arg for a in _arguments(node))
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, Functions) and method.name == "__init__":
                    found.setdefault(node.name, set()).update(a.arg for a in _arguments(method))
    return found


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _targets(call: ast.Call, owners: Mapping[str, set[str]]) -> set[str]:
    """The parameters that keywords of a call may mean: of what it calls or hands on."""
    named = [_last_name(call.func), *map(_last_name, call.args)]
    return set().union(*[owners.get(name, set()) for name in named])


def _passed_unseen(trees: Trees) -> set[str]:
    """Parameters that a call may pass by name where it can't be told which function it runs."""
    owners = _owners(trees)
    hidden = {"forward", "__call__", "call"}
    of_objects = set().union(*[owners.get(name, set()) for name in hidden])
    return {
        keyword.arg
        for node in _walk(trees)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg in of_objects and keyword.arg not in _targets(node, owners)
    }


def _renamable_functions(trees: Trees) -> dict[str, str]:
    attributes = {node.attr for node in _walk(trees) if isinstance(node, ast.Attribute)}
    bound = {
        node.id
        for node in _walk(trees)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    parameters = set().union(*_owners(trees).values())
    kept = _texts(trees) | bound | parameters | set(dir(builtins))
    names = dict[str, None]()
    classes = [node for node in _walk(trees) if isinstance(node, ast.ClassDef)]
    methods = {
        id(one): one for owner in classes for one in owner.body if isinstance(one, Functions)
    }
    taken = {method.name for method in methods.values()}
    for node in _walk(trees):
        if not isinstance(node, Functions) or node.name in kept or node.name.startswith("__"):
            continue
        if id(node) in methods:
            if node.name.startswith("_"):
                names[node.name] = None
        elif node.name not in attributes | taken and not node.name.startswith("test"):
            names[node.name] = None
    return {name: f"f{number}" for number, name in enumerate(names)}


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str], trees: Trees) -> None:
        self.names, self.owners = names, _owners(trees)

    def _new(self, name: str) -> str:
        return self.names.get(name, name)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._new(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        self.generic_visit(node)
        node.arg = self._new(node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name = self._new(node.name)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name = self._new(node.name)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if self.names.get(node.attr, "").startswith("f"):
            node.attr = self.names[node.attr]
        return node

    def visit_alias(self, node: ast.alias) -> ast.AST:
        if self.names.get(node.name, "").startswith("f"):
            node.name = self.names[node.name]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        meant = _targets(node, self.owners)
        for keyword in node.keywords:
            if keyword.arg in meant:
                keyword.arg = self._new(keyword.arg)
        self.generic_visit(node)
        return node


def _renamed(tree: ast.Module, names: Mapping[str, str], trees: Trees) -> ast.Module:
    found: ast.Module = _Renaming(names, trees).visit(copy.deepcopy(tree))
    return found


def _at_once(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that are looked up when a function is defined."""
    listed = function.args
    parts = [*function.decorator_list, *listed.defaults, *filter(None, listed.kw_defaults)]
    parts += [a.annotation for a in _arguments(function) if a.annotation]
    return {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}


def _reversed(tree: ast.Module) -> ast.Module:
    body: list[ast.stmt] = []
    for is_function, run in groupby(tree.body, lambda node: isinstance(node, Functions)):
        statements = list(run)
        functions = [one for one in statements if isinstance(one, Functions)]
        names = [one.name for one in functions]
        needed = set().union(*[_at_once(one) for one in functions])
        if is_function and not needed & set(names) and len(set(names)) == len(names):
            statements.reverse()
        body += statements
    tree.body = body
    return tree


class _Qualifying(ast.NodeTransformer):
    def __init__(self, names: set[str], owner: str) -> None:
        self.names, self.owner = names, owner

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names:
            return node
        made = ast.Attribute(ast.Name(self.owner, ast.Load()), node.id, ast.Load())
        return ast.copy_location(made, node)


def _in_a_class(tree: ast.Module) -> ast.Module:
    functions = [node for node in tree.body if isinstance(node, Functions)]
    names = {node.name for node in functions}
    bound = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    needed = set().union(*[_at_once(one) for one in functions]) if functions else set()
    inner = {a.arg for node in ast.walk(tree) if isinstance(node, Scopes) for a in _arguments(node)}
    if not functions or names & (bound | needed | inner) or len(names) < len(functions):
        return tree
    first = functions[0]
    before = tree.body[: tree.body.index(first)]
    # What the module does between its functions may be needed when the class is made.
    if any(needed & _bound_by(one) for one in tree.body if one not in before + functions):
        return tree
    tree = _Qualifying(names, "Functions").visit(tree)
    for function in functions:
        marker = ast.copy_location(ast.Name("staticmethod", ast.Load()), function)
        function.decorator_list.insert(0, marker)
    owner = ast.ClassDef("Functions", [], [], list[ast.stmt](functions), [])
    if "type_params" in ast.ClassDef._fields:
        owner.type_params = []  # type: ignore[attr-defined]
    ast.copy_location(owner, first)
    rest = [node for node in tree.body if node not in functions and node not in before]
    tree.body = [*before, owner, *rest]
    return tree


def _bound_by(statement: ast.stmt) -> set[str]:
    found = {getattr(statement, "name", "")}
    found |= {
        n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and type(n.ctx) is ast.Store
    }
    return found


def _moved(tree: ast.Module) -> ast.Module:
    body: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_plain(node):
            inner = copy.deepcopy(node)
            inner.name = f"{node.name}_body"
            inner.args.defaults, inner.args.kw_defaults = [], [None] * len(inner.args.kwonlyargs)
            body.append(inner)
            node.body = [ast.copy_location(ast.Return(_handing_on(node, inner.name)), node)]
        body.append(node)
    tree.body = body
    return tree


def _is_plain(node: ast.FunctionDef) -> bool:
    yields = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(node))
    return not (yields or node.decorator_list or node.args.vararg or node.args.kwarg)


def _handing_on(node: ast.FunctionDef, name: str) -> ast.expr:
    listed = node.args
    call = ast.Call(
        ast.Name(name, ast.Load()),
        [ast.Name(a.arg, ast.Load()) for a in (*listed.posonlyargs, *listed.args)],
        [ast.keyword(a.arg, ast.Name(a.arg, ast.Load())) for a in listed.kwonlyargs],
    )
    for part in ast.walk(call):
        ast.copy_location(part, node)
    return call
