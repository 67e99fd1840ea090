"""What PyTorch operations tell of devices: what they move between host and device, and how exact
the matrix products are that a device computes."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

MOVED = "moved between devices"
MULTIPLIED = "multiplied on a device"
READS = frozenset(
    (
        "item",
        "tolist",
        "__float__",
        "__int__",
        "__bool__",
        "__index__",
        "__array__",
    )
)
"""What reads a tensor on the host, and waits until the device has computed it."""
MOVES = frozenset(("to", "cpu", "cuda", "type"))
PRODUCTS = frozenset(
    (
        "linear",
        "matmul",
        "__matmul__",
        "__rmatmul__",
        "mm",
        "bmm",
        "addmm",
        "baddbmm",
        "einsum",
        "scaled_dot_product_attention",
    )
)
HOST = ("cpu", "meta")


class Move(NamedTuple):
    """What one operation moved. `is_paged` is told of memory of the host that may be swapped out,
    which the driver copies twice and while the program waits."""

    to_host: bool
    size: int
    is_paged: bool


def move_of(name: str, given: Any, made: Any) -> Move | None:
    """What an operation on a tensor moved between host and device; None where it moved nothing.

    `made` is what it returned: a tensor, or a value of Python's.
    """
    if name in READS:
        is_there = given.device.type not in HOST
        return Move(to_host=True, size=_bytes(given), is_paged=False) if is_there else None
    if name not in MOVES or not hasattr(made, "device"):
        return None
    is_from_host, is_to_host = given.device.type in HOST, made.device.type in HOST
    if is_from_host == is_to_host:
        return None
    return Move(is_to_host, _bytes(given), is_from_host and not given.is_pinned())


def _bytes(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())


class Moves:
    """What one line was heard to move, and in how many steps."""

    __slots__ = ("_last", "paged", "reads", "steps", "to_device", "to_host")

    def __init__(self) -> None:
        self._last = -1
        self.reads = self.paged = self.to_host = self.to_device = self.steps = 0

    def add(self, move: Move, step: int) -> None:
        """One more; `step` is how many steps had ended before it."""
        self.steps += step != self._last
        self._last = step
        if move.to_host:
            self.reads += 1
            self.to_host += move.size
        else:
            self.to_device += move.size
            self.paged += move.size if move.is_paged else 0

    def told(self) -> dict[str, int]:
        """What a trace keeps of it."""
        return {
            "reads": self.reads,
            "to_host": self.to_host,
            "to_device": self.to_device,
            "paged": self.paged,
            "steps": self.steps,
        }


def precision_of(name: str, made: Any) -> str:
    """The type of numbers that a matrix product on a device gave; "" for any other operation."""
    if name not in PRODUCTS or not hasattr(made, "device") or made.device.type in HOST:
        return ""
    return str(made.dtype).rpartition(".")[2]


class Products:
    """The observed matrix products, by the type of numbers that they gave."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()

    def add(self, name: str, made: Any) -> None:
        """Count an operation, if it is one."""
        kind = precision_of(name, made)
        if kind:
            self.kinds[kind] += 1
