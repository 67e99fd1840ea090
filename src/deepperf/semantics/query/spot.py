"""What all things at a place in a file have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepperf.records import Location, Step
from deepperf.semantics import bridge
from deepperf.semantics.compiled.reach import runs_eagerly
from deepperf.semantics.frequency.runs import around, is_often, is_seldom
from deepperf.semantics.gradients.recording import is_gradient_free, is_recorded
from deepperf.semantics.gradients.training import is_in_step
from deepperf.semantics.ir.table import Op, Span, Unit
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.self_tests import is_main_guard

if TYPE_CHECKING:
    from deepperf.semantics.query.file import File
    from deepperf.semantics.query.function import Function
    from deepperf.semantics.query.value import Value

LONGEST_QUOTE = 60


def shortened(text: str) -> str:
    """A piece of source text on one line, its end left out where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…"


class Spot:
    """Something at a place: where it is, and how its text reads."""

    __slots__ = ("_file", "_unit", "place", "program")

    def __init__(self, program: Program, place: Place, file: File | None = None) -> None:
        self.program = program
        self.place = place
        self._unit: Unit | None = None
        self._file = file

    @property
    def unit(self) -> Unit:
        found = self._unit
        if found is None:
            found = self._unit = self.program.unit(self.place[:2])
        return found

    @property
    def op(self) -> Op:
        return self.unit.ops[self.place[2]]

    @property
    def _span(self) -> Span:
        return self.op.span

    @property
    def path(self) -> str:
        return self.place[0]

    @property
    def file(self) -> File:
        found = self._file
        if found is None:
            from deepperf.semantics.query.file import File

            found = self._file = File(self.program, self.path)
        return found

    @property
    def location(self) -> Location:
        return bridge.location(self.program.project, self.path, self._span)

    @property
    def span(self) -> tuple[int, int]:
        """Offsets, in characters of the file's text, of the start and the end (exclusive)."""
        return bridge.offsets(self.program.project, self.path, self._span)

    @property
    def source_line(self) -> str:
        return bridge.line(self.program.project, self.path, self._span[0])

    @property
    def source(self) -> str:
        """The source text, as it stands."""
        start, end = self.span
        return bridge.text(self.program.project, self.path)[start:end]

    @property
    def file_text(self) -> str:
        """The text of its file, for edits."""
        return bridge.text(self.program.project, self.path)

    @property
    def text(self) -> str:
        """The source text on one line, shortened, for messages."""
        return shortened(self.source)

    @property
    def framework(self) -> str:
        """The framework that the file uses most plainly; "" where that is not known."""
        return self.file.framework

    @property
    def function(self) -> Function:
        """The function, lambda, class body or module in which it stands."""
        from deepperf.semantics.query.function import Function

        return Function(self.program, self.unit.key)

    @property
    def conditions(self) -> tuple[Value, ...]:
        """What the `if`s of its function around it test, the innermost first."""
        from deepperf.semantics.ir.table import Block
        from deepperf.semantics.query.value import Value

        unit = self.unit
        blocks = (unit.regions[region] for region in unit.around(self.op.region))
        branches = (b for b in blocks if b.block in (Block.THEN, Block.ELSE))
        tests = [unit.ops[b.op] for b in branches if not is_main_guard(unit, b.op)]
        return tuple([Value(self.program, (*self.place[:2], test.args[0])) for test in tests])

    @property
    def runs_for(self) -> frozenset[str]:
        """For what it runs: the loops around it and its function's; "seldom" where guarded."""
        return around(self.program, self.place)

    @property
    def runs_seldom(self) -> bool:
        """Whether a condition around it, or on some way to it, is known to hold seldom."""
        return is_seldom(self.runs_for)

    @property
    def runs_often(self) -> bool | None:
        """Whether it runs for each step, item, row or the like, and on no way seldom; None where
        only loops are seen of which nothing is known.
        """
        return is_often(self.runs_for)

    @property
    def runs_eagerly(self) -> bool:
        """Whether it stands behind a question whether code is compiled."""
        return runs_eagerly(self.program, self.place)

    @property
    def is_gradient_free(self) -> bool:
        """Whether no gradients are recorded here, over all callers."""
        return is_gradient_free(self.program, self.place)

    @property
    def is_recorded(self) -> bool:
        """Whether the program is seen to come to it while gradients are recorded."""
        return is_recorded(self.program, self.place)

    @property
    def is_in_training_step(self) -> bool:
        """Whether most steps of a training are seen to come to it."""
        return is_in_step(self.program, self.place)

    def step(self, text: str) -> Step:
        """A step of a call chain, or a related place, that leads here."""
        return Step(self.location, text)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.place == self.place

    def __hash__(self) -> int:
        return hash(self.place)
