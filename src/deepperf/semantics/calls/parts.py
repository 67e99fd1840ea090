"""What a function of one element of a dataset works with: parts of the element, and constants.

Axes are counted from the right: a batch has one more on the left. So an operator on parts with
equally many axes, or on a part and a constant with no more axes than it has, does the same to
each element of a batch.
"""

from __future__ import annotations

import ast
import re
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

PARSED = "parsed@"
SCALAR = "scalar"
"""The axes of what is known to have none."""
UNLIKE = "each@"
"""How the axes of a list or dict begin whose tensors may have unlike numbers of them."""
FEWER = "fewer@"
"""How the axes of what is left of a tensor begin that lost some; it may have none."""
SOME_NAME = "*"
"""The value of what is known to be some text."""
OTHERS = "**"
"""The key under which a dict has the entries of another one."""
_MORE = re.compile(r"(.*)#(-?\d+)")
_VARYING = (UNLIKE, "either@", "new@", FEWER, ".*", ".<")
_KNOWN = re.compile(rf"(?:{PARSED})?({SCALAR}(?:#\d+)?)")


class Part(Struct, frozen=True):
    """A tensor made of the element, or the element itself, which may be a structure.

    Tensors with equal `axes` have equally many of them; `#-1` at its end says that there is one
    less than without. `columns` marks a list or dict of tensors that have equally many axes, or
    of any, where `axes` begins with `UNLIKE`; `is_list` one that is a Python list.
    """

    axes: str
    columns: bool = False
    is_list: bool = False

    @property
    def is_parsed(self) -> bool:
        """Whether it is what a serialized example held, or was made of one such thing."""
        return self.axes.startswith(PARSED)

    @property
    def rank(self) -> int | None:
        """How many axes it has, where that is known."""
        found = _KNOWN.fullmatch(self.axes)
        if found is None or self.columns:
            return None
        return int(found[1].partition("#")[2] or 0)


class Beside(Struct, frozen=True):
    """What does not depend on the element.

    `rank` is how many axes it has at most, 0 for what is no array; None where that is not
    known. `value` is the constant itself where it is written out, and `SOME_NAME` for some text.
    """

    rank: int | None = None
    value: object = None


class Structure(Struct, frozen=True):
    """A tuple, list or dict written out; `keys` is None for tuples and lists."""

    keys: tuple[str, ...] | None
    parts: tuple[Kind, ...]
    is_list: bool = False


Kind: TypeAlias = "Part | Beside | Structure"


def with_axes(part: Part, more: int) -> Part:
    """A tensor with so many axes more than another, or fewer."""
    found = _MORE.fullmatch(part.axes)
    start, count = (found[1], int(found[2]) + more) if found else (part.axes, more)
    return Part(f"{start}#{count}" if count else start)


def common_axes(tensors: list[Part]) -> str | None:
    """The axes that tensors have in common; None if they may have unlike numbers of them."""
    if len({tensor.axes for tensor in tensors}) == 1:
        return tensors[0].axes
    known = {found[1] for t in tensors if (found := _KNOWN.fullmatch(t.axes)) is not None}
    return known.pop() if len(known) == 1 and all(t.rank is not None for t in tensors) else None


def column(whole: Part, key: str) -> Part:
    """One tensor of a list or dict of them."""
    return Part(f"{whole.axes}.{key}" if whole.axes.startswith(UNLIKE) else whole.axes)


def least_rank(tensor: Part) -> int:
    """How many axes it surely has; elements are taken for more than a number each."""
    if tensor.rank is not None:
        return tensor.rank
    return 0 if tensor.axes.startswith(FEWER) else 1


def columns_of(tensor: Part) -> Part:
    """The list or dict of what a loop gives in each of its iterations."""
    if any(mark in tensor.axes for mark in _VARYING) and not tensor.axes.startswith(UNLIKE):
        return Part(f"{UNLIKE}{tensor.axes}", columns=True)
    return Part(tensor.axes, columns=True)


def leaves(kind: Kind) -> list[Part | Beside]:
    """What stands in a structure, and in those inside it."""
    if isinstance(kind, Structure):
        return [leaf for part in kind.parts for leaf in leaves(part)]
    return [kind]


def listed(kind: Kind) -> Kind:
    """The same tensors as a Python list."""
    return kind if isinstance(kind, Beside) else replace(kind, is_list=True)


def holds_list(kind: Kind) -> bool:
    """Whether a Python list stands in it, which a dataset takes for one tensor of its items."""
    if isinstance(kind, Structure) and any(holds_list(part) for part in kind.parts):
        return True
    return not isinstance(kind, Beside) and kind.is_list


def merged(first: Kind, second: Kind, place: int) -> Kind | None:
    """What may be either of two at a place in the text; None if that is neither data nor none."""
    if first == second:
        return first
    if isinstance(first, Beside) and isinstance(second, Beside):
        return Beside(first.rank if first.rank == second.rank else None)
    tensors = [leaf for kind in (first, second) for leaf in leaves(kind) if isinstance(leaf, Part)]
    if len(tensors) < len(leaves(first)) + len(leaves(second)):
        return None
    one, other = _items(first), _items(second)
    if one is None and other is None:
        start = PARSED if all(tensor.is_parsed for tensor in tensors) else ""
        return Part(f"{start}either@{place}")
    if one is None or other is None or len(one) != len(other):
        return None
    both = [merged(*pair, place) for pair in zip(one, other, strict=True)]
    found = tuple(part for part in both if part is not None)
    return Structure(None, found) if len(found) == len(one) else None


def _items(kind: Kind) -> tuple[Kind, ...] | None:
    """The parts of a tuple or list; None for tensors and dicts."""
    return kind.parts if isinstance(kind, Structure) and kind.keys is None else None


def taken_apart(whole: Kind, targets: list[ast.expr]) -> list[Kind] | None:
    """What unpacking a list gives each of its targets; None where that is not known."""
    starred = [place for place, part in enumerate(targets) if isinstance(part, ast.Starred)]
    if isinstance(whole, Part) and whole.columns:
        return [
            listed(whole)
            if place in starred
            else column(whole, str(place - len(targets) * bool(after)))
            for place, after in ((p, starred and p > starred[0]) for p in range(len(targets)))
        ]
    items = _items(whole)
    if items is None:
        return None
    if not starred:
        return list(items) if len(items) == len(targets) else None
    before, behind = starred[0], len(targets) - starred[0] - 1
    if len(items) < before + behind:
        return None
    end = len(items) - behind
    return [*items[:before], Structure(None, items[before:end], is_list=True), *items[end:]]


def item(whole: Structure, key: object) -> Kind | None:
    """`whole[key]` for a constant key."""
    if whole.keys is None:
        if isinstance(key, int) and -len(whole.parts) <= key < len(whole.parts):
            return whole.parts[key]
        return None
    for name, part in reversed(list(zip(whole.keys, whole.parts, strict=True))):
        if name == key:
            return part
        if name in (SOME_NAME, OTHERS):
            if isinstance(part, Part) and part.columns:
                return column(part, str(key))
            return Part(f"{part.axes}.{key}") if isinstance(part, Part) else None
    return None


def entry(whole: Part, key: Beside, written: ast.expr) -> Part | None:
    """What a dict of tensors has under a key, or under some name where it is not written out.

    None for numbers: these pick parts of tensors.
    """
    if whole.columns:
        known = isinstance(key.value, (int, str)) and key.value != SOME_NAME
        return column(whole, str(key.value) if known else f"<{ast.unparse(written)}>")
    if key.value is None or key.value == SOME_NAME:
        return Part(f"{whole.axes}.<{ast.unparse(written)}>")
    return Part(f"{whole.axes}.{key.value}") if isinstance(key.value, str) else None


def with_item(whole: Structure, key: str, part: Kind) -> Structure:
    """A dict in which `key` has another value."""
    assert whole.keys is not None
    kept = [(k, p) for k, p in zip(whole.keys, whole.parts, strict=True) if k != key]
    kept.append((key, part))
    return Structure(tuple(k for k, _ in kept), tuple(p for _, p in kept))


def without_item(whole: Structure, key: str) -> Structure:
    """A dict from which `key` has been taken."""
    assert whole.keys is not None
    kept = [(k, p) for k, p in zip(whole.keys, whole.parts, strict=True) if k != key]
    return Structure(tuple(k for k, _ in kept), tuple(p for _, p in kept))


def counts_from_the_right(axis: ast.expr) -> bool:
    """Whether an axis argument names axes by negative numbers."""
    if isinstance(axis, (ast.List, ast.Tuple)):
        return all(counts_from_the_right(element) for element in axis.elts)
    return (
        isinstance(axis, ast.UnaryOp)
        and isinstance(axis.op, ast.USub)
        and isinstance(axis.operand, ast.Constant)
    )
