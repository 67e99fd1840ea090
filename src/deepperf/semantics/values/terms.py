"""What an expression may hold: the abstract values of the engine.

A value is a union of terms, in the order found. It says where the thing came from (the
call that made it, the function that defined it), for that is what rules ask about.

Nothing writes to terms. Those made hundreds of thousands of times have fields that are `Final`
for the type checker instead of being frozen: making a frozen one takes three times as long.
"""

from __future__ import annotations

import ast
from typing import Final, TypeAlias

from msgspec import Struct

from deepperf.semantics.names.scopes import ComprehensionNode, Scope

ARRAY_TYPES = ("tensorflow.Tensor", "torch.Tensor", "jax.Array", "numpy.ndarray")


class External(Struct, frozen=True):
    """A module, function, class or constant outside the project, by canonical name."""

    name: Final[str]


class ModuleTerm(Struct, frozen=True):
    """A module of the project."""

    path: str


class FunctionTerm(Struct, frozen=True):
    """A function or lambda of the project, not bound to an object."""

    scope: Final[Scope]


class ClassTerm(Struct, frozen=True):
    """A class of the project."""

    scope: Scope


class Instance(Struct, frozen=True):
    """An object of an external type ("" when unknown), made by the expression `site`."""

    type: Final[str]
    site: Final[ast.expr | None]
    scope: Final[Scope]


class Object(Struct, frozen=True):
    """An object of a project's class; `site` is the call that made it, None for `self`."""

    cls: Final[Scope]
    site: Final[ast.expr | None] = None


class Literal(Struct, frozen=True):
    """A constant written in the source."""

    value: object
    kind: type


NONE = Literal(None, type(None))


class Display(Struct, frozen=True):
    """A list, tuple, set or dict written out, or a comprehension."""

    node: ast.List | ast.Tuple | ast.Set | ast.Dict | ComprehensionNode
    scope: Scope


class Generated(Struct, frozen=True):
    """What calling a generator function gives."""

    scope: Scope


class Method(Struct, frozen=True):
    """A function taken from an object."""

    function: Final[External | FunctionTerm]
    receiver: Final[Instance | Object | ClassTerm]


class Argument(Struct, frozen=True):
    """A parameter of which nothing more is known."""

    scope: Final[Scope]
    name: Final[str]


class Unknown(Struct, frozen=True):
    """Anything."""


Term: TypeAlias = (
    External
    | ModuleTerm
    | FunctionTerm
    | ClassTerm
    | Instance
    | Object
    | Literal
    | Display
    | Generated
    | Method
    | Argument
    | Unknown
)
Value: TypeAlias = tuple[Term, ...]

UNKNOWN = Unknown()
MOST_TERMS = 12
MOST_BITS = 1024


def union(*values: Value) -> Value:
    """The terms of all, without repetition; too many become unknown."""
    if len(values) < 2:
        return values[0] if values else ()
    first = values[0]
    terms = dict.fromkeys(first)
    for value in values[1:]:
        if value and value is not first:
            terms.update(dict.fromkeys(value))
    if len(terms) > MOST_TERMS:
        return (*list(terms)[:MOST_TERMS], UNKNOWN)
    return tuple(terms)


def literal(value: object) -> Term:
    """A constant; a number of more digits than anybody can use is unknown."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return UNKNOWN
    return Literal(value, type(value))
