"""Everything in a tree is found, in whatever syntax this Python knows."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from deepperf.dev.fuzz import crashes_of, everything
from deepperf.dev.tree_mutants import programs
from deepperf.semantics.files import project
from deepperf.semantics.text.syntax import Syntax, parse
from deepperf.semantics.text.tree import children, parents, walk

ROOT = Path(__file__).parents[2]
NEWER = {
    (3, 11): ["try:\n    f()\nexcept* E as e:\n    g(e)\n", "x[*a, b]\n"],
    (3, 12): ["type A[T: int] = B[T]\n", "def f[T, *U, **V](x: T) -> U:\n    return g(x)\n"],
    (3, 13): ["class A[T = int]:\n    x: T\n"],
    (3, 14): ["t'a {x!r:>{w}} {f(y)=} b'\n", "try:\n    f()\nexcept A, B:\n    g()\n"],
}
"""Syntax by the first Python that reads it."""
TEXTS = [
    "x = f'{a!r:>{w}}' + b\n",
    "match p:\n    case A(x=1, y=[b, *c]) | {'k': v, **r}:\n        f(b)\n",
    "def f(a, /, b=1, *c, d, e=g(), **h) -> int:\n    global i\n    i = lambda: await_(a)\n",
    "{**a, 'b': c}\n{d: e for d, e in f if d}\n(g := h)[1:2, ...]\n",
    "async def f():\n    async with a as b, c:\n        return [d async for d in e]\n",
    *(text for version, texts in NEWER.items() if sys.version_info >= version for text in texts),
]


def known(text: str) -> list[ast.AST]:
    """What `ast.walk` finds, without what has no place."""
    left_out = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
    return [node for node in ast.walk(ast.parse(text)) if not isinstance(node, left_out)]


@pytest.mark.parametrize("text", TEXTS)
def test_a_walk_finds_each_node_with_a_place_once(text: str) -> None:
    assert [ast.dump(node) for node in walk(ast.parse(text))] == [
        ast.dump(node) for node in known(text)
    ]


@pytest.mark.parametrize("text", TEXTS)
def test_each_node_is_a_child_of_its_parent(text: str) -> None:
    tree = ast.parse(text)
    around = parents(tree)
    for node in walk(tree)[1:]:
        assert any(child is node for child in children(around[id(node)]))


class LazyImport(ast.Import):
    """An import with a field that no Python of today has."""

    _fields = (*ast.Import._fields, "is_lazy", "weight")


class Pipe(ast.expr):
    """An expression of a kind that no Python of today has."""

    _fields = ("count", "steps", "word", "last", "marks")


class Repeat(ast.stmt):
    """A statement of a kind that no Python of today has."""

    _fields = ("times", "body", "is_async", "otherwise")


def made(kind: type[ast.AST], old: ast.AST, **fields: object) -> ast.AST:
    new = kind.__new__(kind)  # newer constructors want the types of fields declared
    for name, value in fields.items():
        setattr(new, name, value)
    return ast.copy_location(new, old)


def of_tomorrow(tree: ast.Module) -> ast.Module:
    """The tree with imports, sums and loops as another Python might give them."""

    class Newer(ast.NodeTransformer):
        def visit_Import(self, node: ast.Import) -> ast.AST:
            return made(LazyImport, node, names=node.names, is_lazy=1, weight=0.5)

        def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
            self.generic_visit(node)
            steps = [node.left, None, 3, node.right]
            marks = [ast.Add(), "y"]
            return made(Pipe, node, count=2, steps=steps, word="x", last=node.right, marks=marks)

        def visit_While(self, node: ast.While) -> ast.AST:
            self.generic_visit(node)
            return made(Repeat, node, times=node.test, body=node.body, is_async=0)

    changed = Newer().visit(tree)
    assert isinstance(changed, ast.Module)
    return changed


def test_nodes_and_fields_of_a_newer_python_are_walked_by_what_they_hold() -> None:
    tree = of_tomorrow(ast.parse("import a\nwhile b:\n    c = d + e(f)\n"))
    found = walk(tree)

    assert all(isinstance(node, ast.AST) for node in found)
    assert {node.id for node in found if isinstance(node, ast.Name)} == set("bcdef")
    assert [node.name for node in found if isinstance(node, ast.alias)] == ["a"]
    for node, parent in parents(tree).items():
        assert any(id(child) == node for child in children(parent))


def test_rules_take_what_a_newer_python_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    def newer(text: str) -> Syntax:
        return replace(parse(text), tree=of_tomorrow(parse(text).tree))

    monkeypatch.setattr(project, "parse", newer)
    selection = everything()
    for text in programs(ROOT)[::40]:
        assert not crashes_of(text, selection), text
