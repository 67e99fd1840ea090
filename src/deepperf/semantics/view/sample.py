"""Work on single samples in the steps of training, as rules see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, Expression, LoopPath


class SampleWork(Struct, frozen=True):
    """`work`, a call or arithmetic, is done on one sample in each iteration of the path's loop.

    `join` makes a batch of the results, and `framework` trains with it.
    """

    work: Expression
    path: LoopPath
    join: Call
    framework: str

    @property
    def named(self) -> str:
        """How a reader would quote the work: a call by what is called."""
        call = self.work.call
        return call.called if call is not None else self.work.quoted
