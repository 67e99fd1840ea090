"""What the text tells of a value: which literal it is, and whether it ever changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deepperf.semantics.dependence.settled import is_settled
from deepperf.semantics.frequency.implied import implied_integer
from deepperf.semantics.objects.literals import integer, literal, sources
from deepperf.semantics.query.spot import Spot

if TYPE_CHECKING:
    from deepperf.semantics.query.value import Value

MISSING = object()
"""What `constant` and `literal` give for a value that is no literal."""


class Told(Spot):
    """A value, as far as literals are concerned."""

    __slots__ = ()

    @property
    def literal(self) -> Any:
        """The literal that it is wherever its function runs, over variables, attributes, fields
        and parameters; `MISSING` where that is not known.
        """
        found = literal(self.program, self.place)
        return MISSING if found is None else found[0]

    @property
    def written_at(self) -> tuple[Value, ...]:
        """Where the literal stands that it is, if that is elsewhere: a default, a configuration."""
        from deepperf.semantics.query.value import Value

        found = sources(self.program, self.place) or ()
        return tuple([Value(self.program, one) for one in sorted(found) if one != self.place])

    @property
    def integer(self) -> int | None:
        """The integer that it is, where constants of the project tell."""
        return integer(self.program, self.place)

    @property
    def implied_integer(self) -> int | None:
        """The same, or what an option of the command line says by default."""
        return implied_integer(self.program, self.place)

    @property
    def is_settled(self) -> bool:
        """Whether it is made of literals, module constants and what constructors alone set."""
        return is_settled(self.program, self.place)
