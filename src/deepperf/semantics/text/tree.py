"""The parts of a syntax tree, found several times faster than by `ast.walk`.

Operators and contexts (`ast.Add`, `ast.Load`) are left out: they have no parts and no place.
"""

from __future__ import annotations

import ast
from typing import TypeAlias

Chain: TypeAlias = tuple[str, ...]
"""A name and the attributes read from it: `self.bank.size` is `("self", "bank", "size")`."""
_TEXTS = frozenset(
    (
        *(
            "id",
            "attr",
            "arg",
            "asname",
            "module",
            "simple",
            "is_async",
            "conversion",
            "str",
            "name",
        ),
        *("ctx", "op", "ops", "type_ignores", "type_comment", "kind", "level", "lineno", "tag"),
        *("kwd_attrs", "rest"),
    )
)
"""Fields that hold no node that has parts."""
_NODES = frozenset(
    (
        *("annotation", "args", "argtypes", "bases", "body", "bound", "cases", "cause", "cls"),
        *("comparators", "context_expr", "decorator_list", "default_value", "defaults", "dims"),
        *("elt", "elts", "exc", "finalbody", "format_spec", "func", "generators", "guard"),
        *("handlers", "ifs", "items", "iter", "key", "keys", "keywords", "kw_defaults", "kwarg"),
        *(
            "kwd_patterns",
            "left",
            "kwonlyargs",
            "lower",
            "msg",
            "names",
            "operand",
            "optional_vars",
        ),
        *("orelse", "pattern", "patterns", "posonlyargs", "returns", "right", "slice", "step"),
        *(
            "subject",
            "target",
            "targets",
            "test",
            "type",
            "type_params",
            "upper",
            "value",
            "values",
        ),
        *("vararg",),
    )
)
_GAPS = frozenset(("keys", "kw_defaults"))
"""Lists in which `None` stands for what is unpacked, or for a default that is not there."""
_WORDS = (ast.Global, ast.Nonlocal, ast.Constant, ast.MatchSingleton)
_PARTLESS = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.type_ignore)


class Getter(ast.Attribute):
    """What reading an attribute calls, where the attribute is a property."""


class Setter(ast.Attribute):
    """What assigning to an attribute calls, where the attribute is a property that may be set."""


class Product(ast.Attribute):
    """What `a @ b` calls: the method of an array, taken from what the whole gives."""


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that hold nodes, lists of nodes, or nothing."""
    if issubclass(kind, _WORDS):
        return ()
    # The name of a type alias is a node, that of everything else a text.
    texts = _TEXTS - {"name"} if kind.__name__ == "TypeAlias" else _TEXTS
    return tuple(name for name in kind._fields if name not in texts)


_FIELDS = {
    kind: _fields(kind)
    for kind in (*vars(ast).values(), Getter, Setter, Product)
    if isinstance(kind, type) and issubclass(kind, ast.AST) and {*kind._fields} <= _TEXTS | _NODES
}
"""What newer Pythons add, whole kinds or fields of those there were, is looked at as it comes."""


def walk(root: ast.AST) -> list[ast.AST]:
    """A node and all that is in it, level by level, as `ast.walk` orders them."""
    found = [root]
    append = found.append
    known, gaps = _FIELDS.get, _GAPS
    for node in found:
        fields = known(type(node))
        if fields is None:
            found += _looked_at(node)
            continue
        for name in fields:
            value = getattr(node, name, None)
            if type(value) is list:
                found += value if name not in gaps else [v for v in value if v is not None]
            elif value is not None:
                append(value)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes that stand directly in a node, in the order of its fields."""
    fields = _FIELDS.get(type(node))
    if fields is None:
        return _looked_at(node)
    found: list[ast.AST] = []
    for name in fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += value if name not in _GAPS else [v for v in value if v is not None]
        elif value is not None:
            found.append(value)
    return found


def _looked_at(node: ast.AST) -> list[ast.AST]:
    """The nodes in a node of whose fields not all are known: whatever is a node."""
    return [part for part in ast.iter_child_nodes(node) if not isinstance(part, _PARTLESS)]


def arguments(call: ast.Call) -> list[ast.expr]:
    """What a call is given: positional arguments first, unpacked ones as they are written."""
    return [*call.args, *[keyword.value for keyword in call.keywords]]


def operands(call: ast.Call) -> list[ast.expr]:
    """What a call works on: what it is given, and last what its method is read from."""
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    return arguments(call) + owner


def argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    """What a call passes by a name, or else at a place among its positional arguments."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    return call.args[place] if len(call.args) > place else None


def parents(root: ast.AST) -> dict[int, ast.AST]:
    """For the id of each node in `root` the node that it stands in."""
    return walk_with_parents(root)[1]


def written(call: ast.Call) -> ast.expr:
    """The expression of the text that a call is: itself, or the product that it stands for."""
    return call.func.value if isinstance(call.func, Product) else call


def walk_with_parents(root: ast.AST) -> tuple[list[ast.AST], dict[int, ast.AST]]:
    """What `walk` finds, and what `parents` tells of it."""
    # Written out again, not built on `walk`: both are run for each node of all texts.
    found = [root]
    around: dict[int, ast.AST] = {}
    append = found.append
    known, gaps = _FIELDS.get, _GAPS
    for node in found:
        fields = known(type(node))
        if fields is None:
            inner = _looked_at(node)
            found += inner
            around |= {id(part): node for part in inner}
            continue
        for name in fields:
            value = getattr(node, name, None)
            if type(value) is list:
                inner = value if name not in gaps else [v for v in value if v is not None]
                found += inner
                for part in inner:
                    around[id(part)] = node
            elif value is not None:
                append(value)
                around[id(value)] = node
    return found, around


# References


def chain_of(node: ast.expr) -> Chain | None:
    """The chain that an expression spells; None for anything else."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return (node.id, *reversed(attributes)) if isinstance(node, ast.Name) else None


def dotted(node: ast.expr) -> str:
    """`a.b` as text; "" for what is no chain of names."""
    return ".".join(chain_of(node) or ())


def owner_of(node: ast.expr) -> ast.expr:
    """What attributes are read from: `a[0]` of `a[0].b.c`; the expression itself if none are."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def container_of(node: ast.expr) -> ast.expr:
    """What items are taken from: `a.b` of `a.b[i][j]`; the expression itself if none are."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def indices_of(item: ast.Subscript) -> list[ast.expr]:
    """The index of each axis: `i` and `j` of `a[i, j]`, a single one of `a[i]`."""
    return list(item.slice.elts) if isinstance(item.slice, ast.Tuple) else [item.slice]


def first_of(node: ast.expr) -> ast.expr:
    """The first element of a tuple that is written out: an index, a target.

    The expression itself where it is no tuple, or one without elements, as in `x[()]`.
    """
    return node.elts[0] if isinstance(node, ast.Tuple) and node.elts else node


def names_in(*nodes: ast.AST) -> set[str]:
    """The names that occur in any of the nodes."""
    return {part.id for node in nodes for part in walk(node) if isinstance(part, ast.Name)}
