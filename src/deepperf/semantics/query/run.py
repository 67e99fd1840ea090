"""Runs of models, as rules see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepperf.semantics.forwards.drawing import draws_in_code, may_draw
from deepperf.semantics.forwards.twice import Twice, is_free, is_rewritten, may_share
from deepperf.semantics.forwards.work import does_work
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program

if TYPE_CHECKING:
    from deepperf.semantics.query.call import Call


class RunTwice:
    """A model that is run a second time on what it was run on, in one call of a function.

    Where both runs stand in functions that it calls, `first` and `second` lead to them.
    """

    __slots__ = ("_twice", "program")

    def __init__(self, program: Program, twice: Twice) -> None:
        self.program = program
        self._twice = twice

    @property
    def first(self) -> tuple[Call, ...]:
        """The calls that lead to the first run, and last the run itself."""
        return self._calls(self._twice.first.chain)

    @property
    def second(self) -> tuple[Call, ...]:
        return self._calls(self._twice.second.chain)

    def _calls(self, chain: tuple[Place, ...]) -> tuple[Call, ...]:
        from deepperf.semantics.query.call import Call

        return tuple([Call(self.program, place) for place in chain])

    @property
    def does_work(self) -> bool | None:
        """Whether a run computes more than a pass over numbers; None where that is not known."""
        return does_work(self.program, self._twice.first.chain[-1])

    @property
    def may_differ(self) -> bool | None:
        """Whether the second run gives something else, as one with dropout does while it is
        trained; None where that is not known.
        """
        places = [run.chain[-1] for run in self._twice]
        if any(draws_in_code(self.program, place) for place in places):
            return True
        if all(is_free(self.program, run) for run in self._twice):
            return False
        return may_draw(self.program, places[0])

    @property
    def kept_as(self) -> str:
        """The variable that still holds what the first call gave where the second stands, and
        that nothing writes to from there on.
        """
        first, second = self._twice.first.chain, self._twice.second.chain
        if len(first) > 1 or len(second) > 1 or is_rewritten(self.program, *first, *second):
            return ""
        if not may_share(self.program, *first, *second):
            return ""
        unit = self.program.unit(first[0][:2])
        start, end = first[0][2], second[0][2]
        for name, bound in unit.bindings.items():
            if start in bound and not any(start < other < end for other in bound):
                return name
        return ""
