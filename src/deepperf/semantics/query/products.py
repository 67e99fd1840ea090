"""Products of matrices, however they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.ir.table import Kind

if TYPE_CHECKING:
    from deepperf.semantics.query.value import Value

_OPERANDS = 3
"""Of a product by the names of axes: these, and two matrices."""


class Product(NamedTuple):
    """Two matrices, or stacks of them, that are multiplied.

    `is_transposed` where it is the transpose of the second that they are multiplied with: row by
    row.
    """

    left: Value
    right: Value
    is_transposed: bool


def product_of(value: Value) -> Product | None:
    """The product that an expression is."""
    if value.kind is Kind.BINARY and value.data == "MatMult":
        left, right = value.operands
        return Product(left, right, right.is_transposed)
    call = value.call
    if call is None:
        return None
    receiver, given = call.receiver, call.arguments
    if call.has(Trait.CONTRACTS) and len(given) == _OPERANDS:
        text, left, right = given
        is_transposed = along_rows(text.literal) if isinstance(text.literal, str) else None
        if is_transposed is None:
            return None
        return Product(left, right, is_transposed or right.is_transposed)
    if not call.has(Trait.MULTIPLIES_MATRICES):
        return None
    if len(given) == 1 and receiver is not None:
        return Product(receiver, given[0], given[0].is_transposed)
    return Product(*given, given[1].is_transposed) if len(given) == 2 else None


def along_rows(subscripts: str) -> bool | None:
    """Whether `bqd,bkd->bqk` multiplies rows by rows, as it does, or, as `bqk,bkd->bqd`, rows by
    columns; None for what is no product of two matrices, or stacks of them.
    """
    inputs, arrow, output = subscripts.replace(" ", "").replace("...", "").partition("->")
    left, comma, right = inputs.partition(",")
    terms = (left, right, output)
    if not (arrow and comma) or any(len({*term}) < len(term) for term in terms):
        return None
    summed = {*left, *right} - {*output}
    if summed != {left[-1:]} or not summed <= {*right}:
        return None
    # What one of them has alone is an axis of the product; the others number the stacks.
    if not ({*left} - {*right} and {*right} - {*left} <= {*output}) or {*right} <= {*left}:
        return None
    return right[-1] == left[-1]
