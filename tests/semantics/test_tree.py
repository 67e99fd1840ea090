"""Everything in a tree is found, in whatever syntax this Python knows."""

from __future__ import annotations

import ast
import sys

import pytest

from deepperf.semantics.text.tree import children, parents, walk

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
