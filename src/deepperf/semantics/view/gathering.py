"""An array of all that many files hold, as rules see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from deepperf.records import Step

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, Loop


class Gathering(Struct, frozen=True):
    """`join` makes one array of what `read` gives in the iterations of `loops`; `used` trains on
    it.

    The loops are given outermost first; `area` is height times width of the images that it is
    resized to, where the text tells.
    """

    join: Call
    loops: tuple[Loop, ...]
    read: Call
    used: Call
    area: int | None

    @property
    def loop(self) -> Loop:
        """The innermost loop in whose iterations a file is read: what is cut from it may turn
        within.
        """
        around = self.read._site.loops
        return next((one for one in reversed(self.loops) if one._frame in around), self.loops[-1])

    @property
    def is_tiny(self) -> bool:
        """Whether its loops are known to turn only a few times."""
        return all(loop.is_tiny for loop in self.loops)

    def steps(self) -> tuple[Step, ...]:
        """The path for a finding: where it is read, and where it is trained on."""
        return (
            Step(self.loop.location, f"in every iteration of `{self.loop.header}`"),
            Step(self.read.location, f"`{self.read.called}` reads one file"),
            Step(self.used.location, f"`{self.used.called}` gets all of them"),
        )
