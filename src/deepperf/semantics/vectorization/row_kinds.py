"""What values are in a walk through a function of one slice: of the slice, or beside it."""

from __future__ import annotations

import ast
from typing import TypeAlias

from msgspec import Struct

from deepperf.knowledge.schema import Fact


class RowOperation(Struct, frozen=True):
    """An operation on a slice: as the user wrote its name, and what is known of it.

    Operators, choices and items have no fact. An item may be looked up in a dictionary instead.
    """

    called: str
    fact: Fact | None = None
    may_look_up: bool = False


class Unfit(Exception):
    """Something in the function does not take a batch, or is not known to."""


class Leaf(Struct, frozen=True):
    """A value in the walk: beside the slice, or of it.

    Of the slice may be a condition on it, what a condition picks of it, and its number.
    """

    of_slice: bool
    is_condition: bool = False
    is_picked: bool = False
    is_counter: bool = False


BESIDE = Leaf(of_slice=False)
SLICE = Leaf(of_slice=True)
CONDITION = Leaf(of_slice=True, is_condition=True)
PICKED = Leaf(of_slice=True, is_picked=True)
COUNTER = Leaf(of_slice=True, is_counter=True)
Kind: TypeAlias = "Leaf | tuple[Kind, ...]"
Names: TypeAlias = dict[str, "Kind"]


def touches(kind: Kind) -> bool:
    """Whether a value holds anything of the slice."""
    return any(map(touches, kind)) if isinstance(kind, tuple) else kind.of_slice


def counts(kind: Kind) -> bool:
    """Whether a value holds the slice's number."""
    return any(map(counts, kind)) if isinstance(kind, tuple) else kind.is_counter


def picks(kind: Kind) -> bool:
    """Whether a value holds as many elements as a condition picks."""
    return any(map(picks, kind)) if isinstance(kind, tuple) else kind.is_picked


_SYMBOLS: dict[type, str] = {ast.FloorDiv: "//", ast.Mod: "%", ast.MatMult: "@"}
_SYMBOLS |= {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def symbol(node: ast.AST) -> str:
    """How an operator is written, where its sign says more than that there is one."""
    if isinstance(node, ast.Compare):
        return "comparison"
    return _SYMBOLS.get(type(getattr(node, "op", None)), "operator")
