"""What a server's application keeps for those who answer its requests.

It is put there when the server starts, and reached by way of the request: `app["model"] = load()`
and `request.app["model"]`, or `app.state.model` and `request.app.state.model`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import elements, filled, values
from deepperf.semantics.values.terms import External, Value, union

_APPLICATIONS = ("app", "application", "current_app")
_WITH_ATTRIBUTES = ("state", "ctx")
_WITH_ITEMS = "config"
_ENDINGS = tuple((name,) for name in _APPLICATIONS)
_CURRENT = "flask.current_app."
MOST_FILES = 8
_Write: TypeAlias = "tuple[ast.expr, tuple[int, ...]]"
_Writes: TypeAlias = Callable[[Analysis, Scope, str, str], Iterator[_Write]]
"""The expressions, and the way to a part of each, that a scope puts under a key."""


def kept(analysis: Analysis, node: ast.Attribute | ast.Subscript) -> Value:
    """What the project puts where an application is asked for something; nothing elsewhere."""
    chain = tree.chain_of(node.value)
    if chain is None:
        return ()
    shelf = chain[-1] if len(chain) > 1 and chain[-2] in _APPLICATIONS else ""
    if not shelf and chain[-1] not in _APPLICATIONS:
        return ()
    if isinstance(node, ast.Attribute):
        if shelf not in ("", *_WITH_ATTRIBUTES):
            return ()
        return _found(analysis, _attributes, shelf, node.attr)
    key = _key(node.slice)
    return (
        ()
        if key is None or shelf not in ("", _WITH_ITEMS)
        else _found(analysis, _items, shelf, key)
    )


def is_asked(held: Value) -> bool:
    """Whether a value is read from the application, by the name that a framework has for it."""
    return any(isinstance(term, External) and term.name.startswith(_CURRENT) for term in held)


def _found(analysis: Analysis, written: _Writes, shelf: str, key: str) -> Value:
    nothing: Value = ()

    def find() -> Value:
        middle = rf"\.{shelf}" if shelf else ""
        text = rf"app(?:lication)?{middle}(?:\.|\[[\"']?){re.escape(key)}[\"']?\]?\s*=[^=]"
        files = analysis.project.mentioning((re.compile(text),))
        analysis.asked.add(key)
        analysis.touched.update(files)
        found = [
            elements.unpack(analysis, values.evaluate(analysis, value, scope), unpacking)
            for path in sorted(files)[:MOST_FILES]
            for scope in analysis.module(path).all_scopes
            for value, unpacking in written(analysis, scope, shelf, key)
        ]
        return union(*found) if found else nothing

    return analysis.remember(("kept by application", written, shelf, key), find, nothing)


def _attributes(_: Analysis, scope: Scope, shelf: str, key: str) -> Iterator[_Write]:
    for write in scope.attribute_writes:
        # Of a longer chain, which the text of the file has, no base is known.
        is_there = not write.base if shelf else write.base in _APPLICATIONS
        if write.attribute == key and write.value is not None and is_there:
            yield write.value, write.unpacking


def _items(analysis: Analysis, scope: Scope, shelf: str, key: str) -> Iterator[_Write]:
    for target, _ in scope.item_writes:
        chain = tree.chain_of(target) or ("",)
        if shelf and chain[-1] != shelf:
            continue
        if (chain[:-1] if shelf else chain)[-1:] not in _ENDINGS:
            continue
        for put in filled.assigned(analysis, target, scope):
            if put.key is not None and _key(put.key) == key:
                yield put.value, put.unpacking


def _key(node: ast.expr) -> str | None:
    """A text, or the name of a key of the application's own."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    return node.id if isinstance(node, ast.Name) else None
