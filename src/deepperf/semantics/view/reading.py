"""A file read in each iteration of a loop for training, as rules see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, LoopPath


class Reading(Struct, frozen=True):
    """`call` reads one file in each iteration of the path's loop, into what `join` makes.

    `framework` is that of the training, or else of what reads. `shrinks` says that the file is
    decoded at its full size, though the call could decode it at the size to which it is resized
    then.
    """

    call: Call
    path: LoopPath
    join: Call
    framework: str
    is_trained_on: bool
    shrinks: bool
