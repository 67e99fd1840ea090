"""Loops that only count, as rules see them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.semantics import view
from deepperf.semantics.data import counting
from deepperf.semantics.data.counting import Telling
from deepperf.semantics.view.file import FileView
from deepperf.semantics.view.spot import Spot

__all__ = ["RecordCount", "Telling", "record_counts"]


class RecordCount(Spot):
    """A loop, or a call with a comprehension, that goes through data to count them."""

    def __init__(self, file: FileView, count: counting.Count) -> None:
        self._analysis = file._analysis
        self._count = count
        self._node: ast.AST = count.node
        self._scope = count.scope

    @property
    def loop(self) -> view.Loop:
        return view.Loop(self._analysis, self._count.loop)

    @property
    def framework(self) -> str:
        return "tensorflow" if self.telling is Telling.DATASET else "torch"

    @property
    def counted(self) -> view.Expression | None:
        """What it goes over; None where a session is run until nothing is left."""
        node = self._count.counted
        return None if node is None else view.Expression(self._analysis, node, self._scope)

    @property
    def telling(self) -> Telling:
        """What would tell the number without making the elements."""
        return self._count.telling


def record_counts(file: FileView) -> Iterator[RecordCount]:
    """The loops of a file that count the elements of datasets and do nothing else."""
    for count in counting.counts(file._analysis, file.path):
        yield RecordCount(file, count)
