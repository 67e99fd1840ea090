"""Runs of models, as rules see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepperf.semantics.forwards.again import rests_on
from deepperf.semantics.forwards.drawing import asks_class, draws_in_code, may_draw
from deepperf.semantics.forwards.frozen import standing
from deepperf.semantics.forwards.runs import Run
from deepperf.semantics.forwards.twice import Twice, is_free, is_rewritten, may_share
from deepperf.semantics.forwards.work import does_work
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program

if TYPE_CHECKING:
    from deepperf.semantics.query.call import Call
    from deepperf.semantics.query.loop import Loop


class RunAgain:
    """A run of a model that each iteration of a loop, or each call of a function, makes again on
    the same, with the same weights.
    """

    __slots__ = ("_run", "loop", "program")

    def __init__(self, program: Program, run: Run, loop: Loop | None) -> None:
        self.program = program
        self.loop = loop
        """None where the function is what is called again and again."""
        self._run = run

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that lead to the run, and last the run itself."""
        return _calls(self.program, self._run.chain)

    @property
    def followers(self) -> tuple[Call, ...]:
        """The calls beside the first that compute from its result, and what is fixed, alone."""
        unit = self.program.unit(self._run.chain[0][:2])
        region = 0 if self.loop is None else self.loop.region
        return _calls(self.program, rests_on(self.program, unit, region, self._run))

    @property
    def does_work(self) -> bool | None:
        """Whether a run computes more than a pass over numbers; None where that is not known."""
        return does_work(self.program, self._run.chain[-1])

    @property
    def may_differ(self) -> bool | None:
        """Whether it gives something else each time, as one with dropout does while it is trained;
        None where that is not known.
        """
        place = self._run.chain[-1]
        if draws_in_code(self.program, place):
            return True
        if asks_class(self.program, place):
            return may_draw(self.program, place)
        state = standing(self.program, place)
        is_free_of_it = state.is_frozen or is_free(self.program, self._run)
        if state.evaluates or (is_free_of_it and state.evaluates is not False):
            return False
        return may_draw(self.program, place)


def _calls(program: Program, chain: tuple[Place, ...]) -> tuple[Call, ...]:
    from deepperf.semantics.query.call import Call

    return tuple([Call(program, place) for place in chain])


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
        return _calls(self.program, self._twice.first.chain)

    @property
    def second(self) -> tuple[Call, ...]:
        return _calls(self.program, self._twice.second.chain)

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
