"""How far the rows of a batch reach, told from its values: what follows is the same everywhere."""

from __future__ import annotations

from typing import Any

FEWEST_COLUMNS = 12
"""Positions of a row below which those that are padding cost little."""
TOKENS = ("torch.int32", "torch.int64")
"""What indices of embeddings are; rows of smaller numbers are pictures, or features."""
LOOKED_INTO = 4
"""Numbers of a vector that are looked at, spread over it: what is padding is zero throughout."""


def columns_reached(batch: Any) -> int | None:
    """How many columns of a batch of rows hold something in any row, where the rest, at its end or
    at its beginning, holds one value alone, such as the token for padding, or vectors of zeros.

    None where it has no such columns to speak of, is no batch of sequences, or is not at hand.
    """
    if batch.dim() not in (2, 3) or batch.size(1) < FEWEST_COLUMNS or batch.device.type != "cpu":
        return None
    is_floating = batch.is_floating_point()
    # Rows of numbers are samples with so many features; only of vectors one is a position.
    if is_floating is not (batch.dim() == 3) or not (is_floating or str(batch.dtype) in TOKENS):
        return None
    held = batch.detach()
    if is_floating:
        held = held[:, :, :: max(1, held.size(2) // LOOKED_INTO)]
    for edge in (-1, 0):
        value = 0 if is_floating else held[0, edge]
        # Most batches are told from one column.
        if bool((held[:, edge] == value).all()):
            used = held != value
            used = (used.any(2) if is_floating else used).any(0).nonzero()
            if not used.numel():
                return None
            return int(used[-1]) + 1 if edge else batch.size(1) - int(used[0])
    return int(batch.size(1))
