"""How to write a qualified name in a module, and the import that this may need."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from msgspec import Struct

from deepperf.fixes.positions import Lines, lines_of, newline_of, parsed
from deepperf.records import Edit

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_UNHASHABLE = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)


class Spelling(Struct, frozen=True):
    """What to write for a qualified name, and the edits that make it mean that."""

    text: str
    edits: tuple[Edit, ...]


def spell(text: str, *names: str, alias: str = "") -> Spelling | None:
    """How a module may write a qualified name such as `tensorflow.data.AUTOTUNE`.

    `names` are names of the same thing, the best first: one that the module's imports reach
    already is taken, else the first name's outermost package is imported, as `alias` if
    that is given. None if the text does not parse or the needed name means something else.
    """
    tree = parsed(text)
    if tree is None:
        return None
    meanings = _meanings(tree)
    for name in names:
        for local, meant in meanings.items():
            if name == meant or name.startswith(meant + "."):
                return Spelling(local + name[len(meant) :], ())
    package, _, rest = names[0].partition(".")
    local = alias or package
    if local in _bound(tree):
        return None
    statement = f"import {package}" + (f" as {alias}" if alias and alias != package else "")
    spelled = f"{local}.{rest}" if rest else local
    return Spelling(spelled, (import_edit(text, tree, statement),))


def keep_results(text: str, start: int, end: int) -> tuple[Edit, ...] | None:
    """Let a call at `start` to `end` of something imported be answered from what it gave before.

    Below the imports, a name is given to what keeps the answers.
    """
    tree, cache = parsed(text), spell(text, "functools.cache")
    if tree is None or cache is None:
        return None
    lines = lines_of(text)
    called = [
        n for n in ast.walk(tree) if isinstance(n, ast.Call) and lines.span(n) == (start, end)
    ]
    function = called[0].func if called else None
    given = (*called[0].args, *(one.value for one in called[0].keywords)) if called else ()
    if any(isinstance(one, _UNHASHABLE) for one in given):
        return None
    root = function
    while isinstance(root, ast.Attribute):
        root = root.value
    imports = _leading_imports(tree)
    if not isinstance(root, ast.Name) or root.id not in _meanings(tree) or not imports:
        return None
    assert isinstance(function, (ast.Attribute, ast.Name))
    own = function.attr if isinstance(function, ast.Attribute) else function.id
    name, newline = f"cached_{own}", newline_of(text)
    if name in _bound(tree):
        return None
    kept = f"{name} = {cache.text}({ast.unparse(function)})"
    below = _behind(text, lines, imports[-1], newline * 2 + kept)
    return Edit(*lines.span(function), name), below, *cache.edits


def unimport(text: str, name: str, start: int, end: int) -> tuple[Edit, ...]:
    """Take the import of a name away if nothing but the characters `start` to `end` reads it.

    () where something else does, or where the import stands with others on a line.
    """
    tree = parsed(text)
    if tree is None or "__all__" in _bound(tree):
        return ()
    lines = lines_of(text)
    reads = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
    bound = [
        node
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and [(item.asname or item.name) for item in node.names] == [name]
    ]
    is_alone = all(start <= lines.span(one)[0] < end for one in reads)
    if len(bound) != 1 or not is_alone or list(_bound_by(tree, name)) != ["import"]:
        return ()
    begin, stop = lines.span(bound[0])
    begin = text.rfind("\n", 0, begin) + 1
    stop = text.find("\n", stop) + 1 or len(text)
    if text[begin:stop].strip() != text[slice(*lines.span(bound[0]))]:
        return ()
    before, behind = text[:begin], text[stop:]
    # The empty line that set it off goes with it.
    is_set_off = not before or before.endswith(("\n\n", "\r\n\r\n"))
    gap = behind[: len(behind) - len(behind.lstrip("\r\n"))]
    first = 2 if gap.startswith("\r\n") else 1
    return (Edit(begin, stop + (first if is_set_off and gap else 0), ""),)


def _bound_by(tree: ast.Module, name: str) -> Iterator[str]:
    return (what.partition(" ")[0] for one, what in _bindings(tree) if one == name)


def _meanings(tree: ast.Module) -> dict[str, str]:
    """What each name bound by a top-level import, and by nothing else, stands for."""
    meanings: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.asname:
                    meanings[item.asname] = item.name
                else:
                    package = item.name.partition(".")[0]
                    meanings[package] = package
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for item in node.names:
                if item.name != "*":
                    meanings[item.asname or item.name] = f"{node.module}.{item.name}"
    counts: dict[str, set[str]] = {}
    for name, what in _bindings(tree):
        counts.setdefault(name, set()).add(what)
    return {name: meant for name, meant in meanings.items() if len(counts[name]) == 1}


def _bound(tree: ast.Module) -> frozenset[str]:
    return frozenset(name for name, _ in _bindings(tree))


def _bindings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each name that is bound anywhere, with what by: equal imports are the same."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                package = item.name.partition(".")[0]
                yield item.asname or package, "import " + (item.name if item.asname else package)
        elif isinstance(node, ast.ImportFrom):
            for item in node.names:
                origin = f"{'.' * node.level}{node.module or ''}.{item.name}"
                yield item.asname or item.name, "import " + origin
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, "assignment"
        elif isinstance(node, ast.arg):
            yield node.arg, "parameter"
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield node.name, "definition"
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name, "handler"
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name, "pattern"
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest, "pattern"


def import_edit(text: str, tree: ast.Module, statement: str) -> Edit:
    """Insert an import among the module's imports, else below docstring and `__future__`.

    It goes before the first top-level import that is sorted behind it, else behind the last; what
    Python brings along goes before all packages.
    """
    lines = lines_of(text)
    newline = newline_of(text)
    plain = [node for node in _leading_imports(tree) if not _is_future(node)]
    name = statement.split()[1]
    if plain and _is_own(name) and not _is_own(_module(plain[0])):
        start = lines.span(plain[0])[0]
        return Edit(start, start, statement + newline + newline)
    for node in plain:
        if isinstance(node, ast.Import) and node.names[0].name > name:
            start = lines.span(node)[0]
            return Edit(start, start, statement + newline)
    if plain:
        return _behind(text, lines, plain[-1], newline + statement)
    before = [node for node in tree.body if _is_docstring(node, tree) or _is_future(node)]
    if before:
        return _behind(text, lines, before[-1], newline + newline + statement)
    start = _below_header(text, lines)
    gap = _gap_before(tree.body[0]) if tree.body else 0
    return Edit(start, start, statement + newline + newline * gap)


def _gap_before(statement: ast.stmt) -> int:
    """The empty lines that set a statement off from imports."""
    return 2 if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)) else 1


def _leading_imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """The top-level imports up to the first statement that is none, docstring left out."""
    found = []
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        elif not _is_docstring(node, tree):
            break
    return found


def _module(node: ast.Import | ast.ImportFrom) -> str:
    return (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name


def _is_own(module: str) -> bool:
    """Whether a module comes with Python."""
    return module.partition(".")[0] in sys.stdlib_module_names


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_docstring(node: ast.stmt, tree: ast.Module) -> bool:
    return (
        node is tree.body[0]
        and isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _behind(text: str, lines: Lines, node: ast.stmt, addition: str) -> Edit:
    """Insert behind the line on which a statement ends, its comment included."""
    line = lines.line_of(max(0, lines.span(node)[1] - 1))
    stop = lines.starts[line] if line < len(lines.starts) else len(text)
    stop = len(text[:stop].rstrip("\r\n"))
    return Edit(stop, stop, addition)


def _below_header(text: str, lines: Lines) -> int:
    """Where code may begin: below the leading lines of comment (interpreter, encoding, license)."""
    rows = [text[a:b] for a, b in zip(lines.starts, (*lines.starts[1:], len(text)), strict=True)]
    position = 0
    for number, row in enumerate(rows):
        if not row.startswith("#"):
            break
        position = lines.starts[number + 1] if number + 1 < len(rows) else len(text)
    return position
